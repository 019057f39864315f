import { Link } from "react-router";
import { useMay, useTeam } from "../app/session";
import { day, moment } from "../texts/formats";
import { ButtonLink } from "../ui/Button";
import { Notice, Status, type Tone } from "../ui/notices";
import type { Providers } from "./queries";
import { useRemedy } from "../ui/remedies";
import { useEinvoiceText } from "./texts";

const LAST_WEEK = 7;
const LAST_TWO_MONTHS = 60;

function certificateTone(daysLeft: number): Tone {
  if (daysLeft <= LAST_WEEK) return "bad";
  return daysLeft <= LAST_TWO_MONTHS ? "caution" : "good";
}

/** When the certificate ends; what to do is said from 60 days before. */
export function Certificate({ certificate }: { certificate: Providers["certificate"] }) {
  const say = useEinvoiceText();
  const mayManage = useMay("einvoice:manage");
  if (certificate === null) return <p className="soft">{say("certificateNone")}</p>;
  const { daysLeft, expiresAt } = certificate;
  const tone = certificateTone(daysLeft);
  const ends =
    daysLeft < 0
      ? say("certificateOver", { day: day(expiresAt) })
      : say("certificateDays", { count: daysLeft, day: day(expiresAt) });
  return (
    <div className="stack">
      <p>
        {say(`certificateOf_${certificate.of}`)} <Status tone={tone}>{ends}</Status>
      </p>
      {tone !== "good" && (
        <Notice
          tone={tone}
          title={say("certificateRenew")}
          action={mayManage && <ButtonLink to="/settings/certificate">{say("certificateGo")}</ButtonLink>}
        />
      )}
    </div>
  );
}

function Off({ providers }: { providers: Providers }) {
  const say = useEinvoiceText();
  const mayWrite = useMay("team:write");
  const because = providers.offBecause;
  const duty = providers.regimes.find((regime) => regime.regime === providers.regime)?.duty;
  return (
    <Notice
      tone="caution"
      title={say("off")}
      action={mayWrite && <ButtonLink to="/settings/company">{say("goCompany")}</ButtonLink>}
    >
      {because && <p>{say(`off_${because}`)}</p>}
      {because === "regime" && duty && <p>{duty}</p>}
    </Notice>
  );
}

/** What holds for all records: on or off, what waits, what keeps it, and what runs out. */
export function Standing({ providers }: { providers: Providers }) {
  const inWords = useRemedy();
  const say = useEinvoiceText();
  const { timezone } = useTeam();
  const { unsent, certificate } = providers;
  const runsOut = certificate !== null && certificate.daysLeft <= LAST_TWO_MONTHS;
  return (
    <div className="stack" aria-live="polite">
      {providers.einvoicing === "off" && <Off providers={providers} />}
      {providers.warnings.map((warning) => (
        <Notice key={warning} tone="caution" title={<Link to="?view=chain">{say("restored")}</Link>}>
          <p>{warning}</p>
        </Notice>
      ))}
      {unsent.troubles.map((trouble) => (
        <Notice key={trouble.kind} tone="bad" title={inWords(trouble.remedy)}>
          {trouble.message && <p>{trouble.message}</p>}
          <p className="soft">{say("since", { moment: moment(trouble.since, timezone) })}</p>
        </Notice>
      ))}
      {unsent.count > 0 && (
        <Notice title={say("unsentCount", { count: unsent.count })}>
          <p>{say("unsentHint")}</p>
        </Notice>
      )}
      {providers.unrecorded > 0 && (
        <Notice
          tone="caution"
          title={<Link to="?view=chain">{say("unrecorded", { count: providers.unrecorded })}</Link>}
        >
          <p>{say("unrecordedText")}</p>
        </Notice>
      )}
      {runsOut && <Certificate certificate={certificate} />}
    </div>
  );
}
