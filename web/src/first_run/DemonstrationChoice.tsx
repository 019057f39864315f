import { useTeam } from "../app/session";
import { today } from "../texts/formats";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/notices";
import { useDemonstration, useDemonstrationActions } from "./examplesInBooks";
import { useText } from "./texts";

/** Fill the books with examples to look around, and take them out again. */
export function DemonstrationChoice() {
  const say = useText();
  const { timezone } = useTeam();
  const made = useDemonstration();
  const { fill, clear, progress } = useDemonstrationActions(today(timezone));
  const isBusy = fill.isPending || clear.isPending;
  const present = made.data ?? null;
  return (
    <div className="stack">
      <p className="soft">{say("demoText")}</p>
      <div className="row">
        {present === null ? (
          <Button busy={fill.isPending} icon="spark" onClick={() => fill.mutate(undefined)}>
            {say("demoFill")}
          </Button>
        ) : (
          <Button busy={clear.isPending} icon="trash" onClick={() => clear.mutate(present)}>
            {say("demoRemove")}
          </Button>
        )}
      </div>
      {isBusy && <progress max={progress.all} value={progress.done} aria-label={say("demoProgress")} />}
      <p role="status">
        {fill.isSuccess && present !== null ? say("demoFilled") : clear.isSuccess ? say("demoRemoved") : ""}
      </p>
      <ProblemNotice error={fill.error ?? clear.error} />
    </div>
  );
}
