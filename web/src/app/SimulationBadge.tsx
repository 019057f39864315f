import { useState } from "react";
import { ButtonLink } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { useMay } from "./session";
import { useAppText } from "./texts";

function Explanation({ onClose }: { onClose: () => void }) {
  const say = useAppText();
  const mayManage = useMay("einvoice:manage");
  const mayGoLive = useMay("einvoice:go-live");
  return (
    <Dialog title={say("sandboxTitle")} onClose={onClose}>
      <div className="stack">
        <p>{say("sandboxWhat")}</p>
        <p>{say("sandboxWhy")}</p>
        <h3>{say("sandboxRealTitle")}</h3>
        <ol>
          <li>{say("sandboxRealCertificate")}</li>
          <li>{say("sandboxRealLive")}</li>
          <li>{say("sandboxRealServer")}</li>
          <li>{say("sandboxRealUpload")}</li>
        </ol>
        {mayManage && (
          <div className="row">
            <ButtonLink icon="shield" to="/settings/certificate" onClick={onClose}>
              {say("sandboxCertificate")}
            </ButtonLink>
            {mayGoLive && (
              <ButtonLink to="/einvoice?view=live" onClick={onClose}>
                {say("sandboxLive")}
              </ButtonLink>
            )}
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** Says on every screen that this is the simulation; opens what that is and the way out of it. */
export function SimulationBadge() {
  const say = useAppText();
  const [isOpen, open] = useState(false);
  return (
    <>
      <button
        type="button"
        className="status status-caution status-button"
        aria-haspopup="dialog"
        title={say("sandboxHint")}
        onClick={() => open(true)}
      >
        {say("sandbox")}
      </button>
      {isOpen && <Explanation onClose={() => open(false)} />}
    </>
  );
}
