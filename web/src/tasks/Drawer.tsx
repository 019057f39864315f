import { useState, type FormEvent } from "react";
import type { Versioned } from "../api/client";
import { useDraft } from "../app/drafts";
import { useMay, useSession, useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Button } from "../ui/Button";
import { Dialog, FormDialog } from "../ui/Dialog";
import { DateField, Select, TextArea, TextField } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { ProblemNotice } from "../ui/notices";
import { toast } from "../ui/toasts";
import { useDeleteTask, useSaveTask } from "./actions";
import { COLUMNS, PRIORITIES, type Task, type TaskPriority, type TaskStatus } from "./columns";
import { useTask, useTaskHistory, type Person } from "./queries";
import { useText } from "./texts";

interface TaskDraft {
  title: string;
  description: string;
  status: TaskStatus;
  priority: TaskPriority;
  dueDate: string;
  assignedTo: string;
  tags: string;
}

function draftOf(task: Task): TaskDraft {
  const { title, status, priority } = task;
  const texts = { description: task.description ?? "", dueDate: task.dueDate ?? "" };
  return { title, status, priority, ...texts, assignedTo: task.assignedTo ?? "", tags: task.tags.join(", ") };
}

function bodyOf(draft: TaskDraft) {
  const { title, status, priority } = draft;
  const tags = draft.tags.split(",").map((tag) => tag.trim());
  return {
    title,
    status,
    priority,
    description: draft.description || null,
    dueDate: draft.dueDate || null,
    assignedTo: draft.assignedTo || null,
    tags: tags.filter((tag) => tag !== ""),
  };
}

interface FormProps {
  stored: Versioned<Task>;
  people: readonly Person[];
  mayWrite: boolean;
  onSaved: () => void;
  onReload: () => void;
}

/** The fields of a task as it was when it was opened, whatever comes meanwhile. */
function TaskForm({ stored: latest, people, mayWrite, onSaved, onReload }: FormProps) {
  const [stored] = useState(latest);
  const say = useText();
  const team = useTeam();
  const { user } = useSession().session;
  const { id } = stored.data;
  const [draft, setDraft, forget] = useDraft(`${user?.id}.${team.id}.task.${id}.${stored.version}`, () =>
    draftOf(stored.data),
  );
  const save = useSaveTask(() => {
    forget();
    toast(say("saved"));
    onSaved();
  });
  const change = (changes: Partial<TaskDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const refusal = (field: string) => save.error?.forField(field);
  function send(event: FormEvent): void {
    event.preventDefault();
    if (!save.isPending) save.mutate({ id, version: stored.version, body: bodyOf(draft) });
  }
  return (
    <form onSubmit={send} noValidate>
      <fieldset className="stack" disabled={!mayWrite}>
        <TextField
          label={say("taskTitle")}
          required
          value={draft.title}
          error={refusal("title")}
          onChange={(title) => change({ title })}
        />
        <TextArea
          label={say("description")}
          value={draft.description}
          error={refusal("description")}
          onChange={(description) => change({ description })}
        />
        <div className="columns">
          <Select
            label={say("column")}
            value={draft.status}
            options={COLUMNS.map((value) => ({ value, label: say(value) }))}
            onChange={(status) => change({ status: status as TaskStatus })}
          />
          <Select
            label={say("priority")}
            value={draft.priority}
            options={PRIORITIES.map((value) => ({ value, label: say(value) }))}
            onChange={(priority) => change({ priority: priority as TaskPriority })}
          />
          <DateField
            label={say("dueDate")}
            value={draft.dueDate}
            error={refusal("dueDate")}
            onChange={(dueDate) => change({ dueDate })}
          />
          <Select
            label={say("assignee")}
            none={say("nobody")}
            value={draft.assignedTo}
            error={refusal("assignedTo")}
            options={people.map(({ id: value, name }) => ({ value, label: name }))}
            onChange={(assignedTo) => change({ assignedTo })}
          />
        </div>
        <TextField
          label={say("tags")}
          hint={say("tagsHint")}
          value={draft.tags}
          error={refusal("tags")}
          onChange={(tags) => change({ tags })}
        />
      </fieldset>
      <ProblemNotice error={save.error} />
      {save.error?.status === 412 && <Button onClick={onReload}>{say("loadAgain")}</Button>}
      {mayWrite && (
        <div>
          <Button type="submit" kind="primary" busy={save.isPending}>
            {say("save")}
          </Button>
        </div>
      )}
    </form>
  );
}

interface FromTo {
  from?: TaskStatus;
  to?: TaskStatus;
}

function History({ id }: { id: string }) {
  const say = useText();
  const { timezone } = useTeam();
  const history = useTaskHistory(id);
  const actionText = (action: string, changes: Record<string, unknown>) => {
    const { from, to } = (changes.status ?? {}) as FromTo;
    switch (action) {
      case "status_changed":
        return from && to
          ? say("action_status_changed", { before: say(from), after: say(to) })
          : say("action_updated");
      case "created":
      case "completed":
      case "assigned":
        return say(`action_${action}`);
      default:
        return say("action_updated");
    }
  };
  return (
    <section className="stack">
      <h3>{say("history")}</h3>
      <Loaded query={history}>
        {(entries) => (
          <ol className="task-history">
            {entries.map((entry) => (
              <li key={entry.id}>
                {actionText(entry.action, entry.changes)}
                <small>
                  <bdi>{entry.userName}</bdi> · {moment(entry.createdAt, timezone)}
                </small>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </section>
  );
}

/** Members delete the tasks that they created, other roles any. */
function useMayDelete(task: Task | undefined): boolean {
  const { user } = useSession().session;
  const mayWrite = useMay("tasks:write");
  const mayDeleteAny = useMay("tasks:delete-any");
  return mayDeleteAny || (mayWrite && task !== undefined && task.createdBy === user?.id);
}

function Deletion({ task, onDeleted }: { task: Task; onDeleted: () => void }) {
  const say = useText();
  const [isAsked, setAsked] = useState(false);
  const deletion = useDeleteTask(() => {
    toast(say("removed"));
    onDeleted();
  });
  return (
    <div>
      <Button kind="danger" icon="trash" onClick={() => setAsked(true)}>
        {say("remove")}
      </Button>
      {isAsked && (
        <FormDialog
          title={say("removeTitle")}
          submit={say("remove")}
          kind="danger"
          busy={deletion.isPending}
          error={deletion.error}
          onSubmit={() => deletion.mutate(task.id)}
          onClose={() => setAsked(false)}
        >
          <p>{say("removeText", { title: task.title })}</p>
        </FormDialog>
      )}
    </div>
  );
}

/** A task with all its fields and its history, beside the board. */
export function Drawer({
  id,
  people,
  onClose,
}: {
  id: string;
  people: readonly Person[];
  onClose: () => void;
}) {
  const say = useText();
  const mayWrite = useMay("tasks:write");
  const task = useTask(id);
  const [opening, setOpening] = useState(0);
  const mayDelete = useMayDelete(task.data?.data);
  return (
    <Dialog title={task.data?.data.title ?? say("title")} place="side" onClose={onClose}>
      <div className="stack">
        <Loaded query={task} lines={6}>
          {(stored) => (
            <>
              <TaskForm
                key={opening}
                stored={stored}
                people={people}
                mayWrite={mayWrite}
                onSaved={onClose}
                onReload={() => void task.refetch().then(() => setOpening(opening + 1))}
              />
              <History id={id} />
              {mayDelete && <Deletion task={stored.data} onDeleted={onClose} />}
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}
