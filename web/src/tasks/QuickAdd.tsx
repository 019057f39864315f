import { useState, type FormEvent } from "react";
import { Button } from "../ui/Button";
import { TextField } from "../ui/fields";
import { ProblemNotice } from "../ui/notices";
import { toast } from "../ui/toasts";
import { useAddTask } from "./actions";
import type { TaskStatus } from "./columns";
import { useText } from "./texts";

/** A task by its title alone, at the foot of a column; the field stays, for the next one. */
export function QuickAdd({ status }: { status: TaskStatus }) {
  const say = useText();
  const [title, setTitle] = useState("");
  const add = useAddTask(() => {
    setTitle("");
    toast(say("created", { column: say(status) }));
  });
  function send(event: FormEvent): void {
    event.preventDefault();
    if (title.trim() !== "" && !add.isPending) add.mutate({ title: title.trim(), status });
  }
  return (
    <form className="quick-add" onSubmit={send}>
      <TextField
        label={say("quickAdd", { column: say(status) })}
        hideLabel
        placeholder={say("newTask")}
        maxLength={200}
        value={title}
        error={add.error?.forField("title")}
        onChange={setTitle}
      />
      <Button
        type="submit"
        icon="add"
        label={say("quickAdd", { column: say(status) })}
        busy={add.isPending}
      />
      <ProblemNotice error={add.error} />
    </form>
  );
}
