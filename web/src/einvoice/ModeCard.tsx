import { useState } from "react";
import type { Schemas } from "../api/client";
import { useMay } from "../app/session";
import { day } from "../texts/formats";
import { Button } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { Loaded } from "../ui/Loaded";
import { Notice } from "../ui/notices";
import { Card } from "../ui/page";
import { useModeChoice } from "./actions";
import { useMode } from "./queries";
import { useEinvoiceText } from "./texts";

type ModeName = "verifactu" | "no_verifactu";

function ModeChange({ mode, onClose }: { mode: ModeName; onClose: () => void }) {
  const say = useEinvoiceText();
  const choice = useModeChoice(onClose);
  return (
    <FormDialog
      title={say("mode")}
      submit={say("modeChange", { mode: mode === "verifactu" ? "VERI*FACTU" : "NO VERI*FACTU" })}
      busy={choice.isPending}
      error={choice.error}
      onSubmit={() => choice.mutate(mode)}
      onClose={onClose}
    >
      <p>{say(mode)}</p>
      <p>{say("modeChangeText")}</p>
    </FormDialog>
  );
}

function Mode({ mode }: { mode: Schemas["IssuerMode"] }) {
  const say = useEinvoiceText();
  const mayManage = useMay("einvoice:manage");
  const [chosen, setChosen] = useState<ModeName | null>(null);
  const target = mode.scheduled ? mode.mode : mode.choices.find((choice) => choice !== mode.mode);
  if (mode.mode === null) return <p className="soft">{say("modeNone")}</p>;
  return (
    <div className="stack">
      <p>{say(mode.mode as ModeName)}</p>
      {mode.scheduled && (
        <Notice
          title={say("modeScheduled", {
            day: day(mode.scheduled.firstDay),
            mode: say(mode.scheduled.mode as ModeName),
          })}
        />
      )}
      {mayManage && target && (
        <p>
          <Button onClick={() => setChosen(target as ModeName)}>
            {mode.scheduled
              ? say("modeKeep")
              : say("modeChange", { mode: target === "verifactu" ? "VERI*FACTU" : "NO VERI*FACTU" })}
          </Button>
        </p>
      )}
      {chosen && <ModeChange mode={chosen} onClose={() => setChosen(null)} />}
    </div>
  );
}

/** How records are kept: sent at once, or signed and stored. */
export function ModeCard() {
  const say = useEinvoiceText();
  const mode = useMode();
  return (
    <Card title={say("mode")}>
      <Loaded query={mode} lines={2}>
        {(loaded) => <Mode mode={loaded} />}
      </Loaded>
    </Card>
  );
}
