import { useState } from "react";
import { useMay, useTeam } from "../app/session";
import { useOffer } from "../countries/queries";
import { useEnvironment } from "../texts/environment";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { useDemonstration, useDemonstrationActions } from "./examplesInBooks";
import { useText } from "./texts";

/** Fill the books with examples to look around, and take them out again. */
export function DemonstrationChoice() {
  const say = useText();
  const { einvoicing } = useTeam();
  const mayEmit = useMay("einvoice:emit");
  const isIssued = useEnvironment() === "sandbox" && einvoicing === "on" && mayEmit;
  const made = useDemonstration();
  const offer = useOffer();
  const { fill, clear, progress } = useDemonstrationActions();
  const isBusy = fill.isPending || clear.isPending;
  const present = made.data ?? null;
  function fillBooks(): void {
    if (offer.data) fill.mutate({ offer: offer.data, say, isIssued });
  }
  return (
    <div className="stack">
      <p className="soft">{say(isIssued ? "demoTextIssued" : "demoText")}</p>
      <div className="row">
        {present === null ? (
          <Button busy={fill.isPending || offer.isPending} icon="spark" onClick={fillBooks}>
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
        {fill.isSuccess && present !== null
          ? say("demoFilled")
          : clear.isSuccess
            ? say(isIssued ? "demoRemovedIssued" : "demoRemoved")
            : ""}
      </p>
      <ProblemNotice error={fill.error ?? clear.error ?? offer.error} />
    </div>
  );
}

/** The way to take the examples out after the first run; nothing where the books had none when it was opened. */
export function DemonstrationInBooks() {
  const say = useText();
  const made = useDemonstration();
  const [wereThere, setWereThere] = useState(false);
  if (made.data && !wereThere) setWereThere(true);
  if (!wereThere) return null;
  return (
    <Card title={say("demoInBooks")}>
      <DemonstrationChoice />
    </Card>
  );
}
