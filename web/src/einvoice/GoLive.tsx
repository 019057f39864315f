import { useState } from "react";
import { Link } from "react-router";
import type { Schemas } from "../api/client";
import { useTeam } from "../app/session";
import { decimal, moment } from "../texts/formats";
import { Button, ButtonLink } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { Checkbox } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { Notice } from "../ui/notices";
import { Card, Facts } from "../ui/page";
import { useRemedy } from "../ui/remedies";
import { toast } from "../ui/toasts";
import { useGoingLive } from "./actions";
import { useGoLiveStatus } from "./queries";
import { useEinvoiceText } from "./texts";

type GoLiveStatus = Schemas["GoLiveStatus"];
type Lack = Schemas["Lack"];

const OPERATORS_CERTIFICATE = "LEDGERKIT_VERIFACTU_CERT_FILE";

/** The screen on which the owner mends it; null for a setting, which whoever runs the server writes. */
function placeOf({ field }: Lack): "company" | "certificate" | null {
  if (field.startsWith("issuer.")) return "company";
  return field === "certificate" || field === OPERATORS_CERTIFICATE ? "certificate" : null;
}

/** A message that elsewhere follows the name of its field. */
function asSentence(message: string): string {
  return message.charAt(0).toLocaleUpperCase() + message.slice(1);
}

const WAYS = { company: "goCompany", certificate: "certificateGo" } as const;

function Way({ lack }: { lack: Lack }) {
  const say = useEinvoiceText();
  const place = placeOf(lack);
  if (place === null) return <p className="soft">{say("liveOfServer")}</p>;
  return (
    <p>
      <Link to={`/settings/${place}`}>{say(WAYS[place])}</Link>
    </p>
  );
}

function Missing({ lacks }: { lacks: readonly Lack[] }) {
  const inWords = useRemedy();
  const say = useEinvoiceText();
  if (lacks.length === 0) return <Notice tone="good" title={say("liveReady")} />;
  return (
    <Notice tone="caution" title={say("liveMissing", { count: lacks.length })}>
      <ul className="stack lacks">
        {lacks.map((lack) => (
          <li key={lack.field}>
            {placeOf(lack) === null ? `${lack.field}: ${lack.message}` : asSentence(lack.message)}
            {lack.remedy && <p>{inWords(lack.remedy)}</p>}
            <Way lack={lack} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** Numbers of documents by what they are; what there is none of is not named. */
function Counts({
  title,
  counts,
}: {
  title: string;
  counts: Schemas["TrialContent"] | Schemas["KeptContent"];
}) {
  const say = useEinvoiceText();
  const entries = Object.entries(counts) as [
    keyof (Schemas["TrialContent"] & Schemas["KeptContent"]),
    number,
  ][];
  const some = entries.filter(([, count]) => count > 0);
  return (
    <section className="stack">
      <h3>{title}</h3>
      {some.length === 0 ? (
        <p className="soft">{say("liveNothing")}</p>
      ) : (
        <Facts facts={some.map(([name, count]) => [say(`live_${name}`), decimal(count)])} />
      )}
    </section>
  );
}

function Steps({ status }: { status: GoLiveStatus }) {
  const say = useEinvoiceText();
  return (
    <>
      {status.nextSteps.length > 0 && (
        <Notice tone="caution" title={say(status.state === "live" ? "liveNext" : "liveAfterwards")}>
          {status.nextSteps.map((step) => (
            <p key={step}>{step}</p>
          ))}
        </Notice>
      )}
      {status.notes.map((note) => (
        <Notice key={note} title={note} />
      ))}
    </>
  );
}

function Confirmation({ status, keepPurchases, onClose }: ConfirmationProps) {
  const say = useEinvoiceText();
  const goingLive = useGoingLive(() => {
    toast(say("liveDone"));
    onClose();
  });
  return (
    <FormDialog
      title={say("live")}
      submit={say("live")}
      kind="danger"
      busy={goingLive.isPending}
      error={goingLive.error}
      onSubmit={() => goingLive.mutate({ keepPurchases })}
      onClose={onClose}
    >
      <p>{say("liveOnce")}</p>
      <Counts title={say("liveAside")} counts={status.setAside} />
      <p>{say(keepPurchases ? "livePurchasesStay" : "livePurchasesGo")}</p>
      {status.nextSteps.map((step) => (
        <p key={step}>{step}</p>
      ))}
    </FormDialog>
  );
}

interface ConfirmationProps {
  status: GoLiveStatus;
  keepPurchases: boolean;
  onClose: () => void;
}

interface TrialProps {
  status: GoLiveStatus;
  keepPurchases: boolean;
  /** The numbers are those of the choice: while it is asked anew, nothing may be confirmed upon the ones before. */
  isCurrent: boolean;
  onChoice: (keepPurchases: boolean) => void;
}

function Trial({ status, keepPurchases, isCurrent, onChoice }: TrialProps) {
  const say = useEinvoiceText();
  const [isAsking, ask] = useState(false);
  return (
    <div className="stack">
      <p>{say("liveText")}</p>
      <Missing lacks={status.missing} />
      <Checkbox
        label={say("liveKeepPurchases")}
        hint={say("liveKeepPurchasesHint")}
        checked={keepPurchases}
        onChange={onChoice}
      />
      <div className="columns" aria-live="polite" aria-busy={!isCurrent}>
        <Counts title={say("liveAside")} counts={status.setAside} />
        <div className="stack">
          <Counts title={say("liveKept")} counts={status.kept} />
          <p className="soft">{say("liveKeptToo")}</p>
        </div>
      </div>
      <Steps status={status} />
      {status.missing.length === 0 ? (
        <p>
          <Button kind="primary" busy={!isCurrent} onClick={() => ask(true)}>
            {say("liveBegin")}
          </Button>
        </p>
      ) : (
        <p className="soft">{say("liveNotYet")}</p>
      )}
      {isAsking && <Confirmation status={status} keepPurchases={keepPurchases} onClose={() => ask(false)} />}
    </div>
  );
}

function Live({ status }: { status: GoLiveStatus }) {
  const say = useEinvoiceText();
  const { timezone } = useTeam();
  const since = status.liveSince;
  return (
    <div className="stack">
      <Notice
        tone="good"
        title={since === null ? say("liveAlways") : say("liveSince", { moment: moment(since, timezone) })}
      />
      <Steps status={status} />
      {status.archiveId !== null && (
        <>
          <Counts title={say("liveWasSetAside")} counts={status.setAside} />
          <p>{say("liveArchive")}</p>
          <p className="soft">
            {say("liveArchiveApi")} <span className="mono">{status.archiveId}</span>
          </p>
          <p>
            <ButtonLink to="/settings/data">{say("liveArchiveGo")}</ButtonLink>
          </p>
        </>
      )}
    </div>
  );
}

/** The way from the trial to what is real: what is missing, what is set aside, what stays, and the act. */
export function GoLive() {
  const say = useEinvoiceText();
  const [keepPurchases, keep] = useState(false);
  const status = useGoLiveStatus(keepPurchases);
  return (
    <Card title={say("live")}>
      <Loaded query={status} lines={8}>
        {(loaded) =>
          loaded.state === "live" ? (
            <Live status={loaded} />
          ) : (
            <Trial
              status={loaded}
              keepPurchases={keepPurchases}
              isCurrent={!status.isPlaceholderData}
              onChoice={keep}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
