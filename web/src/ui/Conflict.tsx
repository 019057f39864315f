import type { Choice } from "../api/saving";
import { Button } from "./Button";
import { Notice } from "./notices";
import { useUiText } from "./texts";

/** Somebody else has changed meanwhile what is typed here: whose stays is for the user to say. */
export function Conflict({ title, choice }: { title?: string; choice: Choice | null }) {
  const say = useUiText();
  if (choice === null) return null;
  return (
    <Notice
      tone="bad"
      title={title ?? say("conflict")}
      action={
        <div className="row">
          <Button onClick={choice.onTheirs}>{say("takeTheirs")}</Button>
          <Button onClick={choice.onMine}>{say("keepMine")}</Button>
        </div>
      }
    >
      <p>{say("conflictText")}</p>
    </Notice>
  );
}
