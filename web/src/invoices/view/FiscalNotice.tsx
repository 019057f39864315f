import { useLanguage } from "../../texts/language";
import { Button, ButtonLink } from "../../ui/Button";
import { Notice, ProblemNotice } from "../../ui/notices";
import { toast } from "../../ui/toasts";
import { useCorrectRecord } from "../actions";
import { isTaken, type EInvoice, type Invoice } from "../queries";
import { useText, type InvoiceText } from "../texts";
import { useRemedy } from "../../ui/remedies";
import { TakenNumber } from "./TakenNumber";

type AuthorityError = EInvoice["errors"][number];

function Cause({ error }: { error: AuthorityError }) {
  const inWords = useRemedy();
  const say = useText();
  const spoken = useLanguage();
  const remedy = error.remedy?.[spoken];
  return (
    <li>
      <p>
        <strong>{error.code}</strong> <bdi>{error.cause?.[spoken] ?? error.message}</bdi>
      </p>
      {remedy && <p>{say("whatToDo", { remedy: inWords(remedy) })}</p>}
    </li>
  );
}

/** What of the authority's answer wants something done: its title, its errors, and whether to amend or to emit again. */
function trouble(record: EInvoice): { title: InvoiceText; errors: AuthorityError[]; amends: boolean } | null {
  if (record.refused) return { title: "refusedTitle", errors: record.refused.errors, amends: true };
  if (record.status === "rejected") return { title: "rejectedTitle", errors: record.errors, amends: false };
  if (record.status === "accepted_with_errors") {
    return { title: "withErrorsTitle", errors: record.errors, amends: true };
  }
  return null;
}

interface Props {
  invoice: Invoice;
  record: EInvoice | null;
  mayAct: boolean;
  /** Open the dialog that puts right what was refused. */
  onCorrect: () => void;
}

/** Why the authority refused the invoice, and the way to mend it. */
export function FiscalNotice({ invoice, record, mayAct, onCorrect }: Props) {
  const say = useText(record?.environment);
  const again = useCorrectRecord();
  if (record === null) return null;
  if (record.status === "annulled") return <Notice title={say("annulledNotice")} />;
  if (isTaken(record)) return <TakenNumber invoice={invoice} record={record} />;
  const found = trouble(record);
  if (found === null) return null;
  const emit = () =>
    again.mutate({ id: invoice.id, correct: found.amends }, { onSuccess: () => toast(say("recordSent")) });
  return (
    <>
      <Notice
        tone={found.amends ? "caution" : "bad"}
        title={say(found.title)}
        action={
          <div className="row">
            <ButtonLink to="/einvoice">{say("toEInvoice")}</ButtonLink>
            {mayAct && !found.amends && (
              <Button icon="edit" onClick={onCorrect}>
                {say("refusedFixButton")}
              </Button>
            )}
            {mayAct && (
              <Button kind="primary" busy={again.isPending} onClick={emit}>
                {say(found.amends ? "amendRecord" : "emitAgain")}
              </Button>
            )}
          </div>
        }
      >
        <ul className="causes">
          {found.errors.map((error) => (
            <Cause key={error.code + error.message} error={error} />
          ))}
        </ul>
      </Notice>
      <ProblemNotice error={again.error} />
    </>
  );
}
