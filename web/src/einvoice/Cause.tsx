import { useMay } from "../app/session";
import { useLanguage } from "../texts/language";
import { Button, ButtonLink } from "../ui/Button";
import type { FiscalRecord } from "./queries";
import type { Opened } from "./Records";
import { useRemedy } from "../ui/remedies";
import { useEinvoiceText } from "./texts";

const NUMBER_TAKEN = "NUMBER_TAKEN";

/** Whether somebody else's document has the record's number at the authority: nothing is sent again blindly. */
const isTaken = (record: FiscalRecord) => record.errors.some((error) => error.code === NUMBER_TAKEN);

function Fix({ record, open }: { record: FiscalRecord; open: (opened: Opened) => void }) {
  const say = useEinvoiceText();
  if (isTaken(record)) {
    return (
      <ButtonLink kind="primary" to={`/invoices/${record.invoiceId}`}>
        {say("numberTakenButton")}
      </ButtonLink>
    );
  }
  if (record.kind === "annul") {
    return <Button onClick={() => open({ dialog: "annul", record })}>{say("annulAgain")}</Button>;
  }
  return (
    <>
      <ButtonLink kind="primary" icon="edit" to={`/invoices/${record.invoiceId}?open=correct`}>
        {say("correctInvoice")}
      </ButtonLink>
      <Button icon="refresh" onClick={() => open({ dialog: "emit", record })}>
        {say("sendAgain")}
      </Button>
    </>
  );
}

/** Why the authority refused or remarked on a record, in plain words, and what mends it. */
export function Cause({ record, open }: { record: FiscalRecord; open: (opened: Opened) => void }) {
  const inWords = useRemedy();
  const say = useEinvoiceText(record.environment);
  const spoken = useLanguage();
  const mayEmit = useMay("einvoice:emit");
  if (record.errors.length === 0) {
    return record.csv ? <span className="soft mono">{say("csv", { csv: record.csv })}</span> : null;
  }
  return (
    <div className="cause">
      {record.errors.map((error) => (
        <div key={error.code}>
          <p>
            <strong>{error.cause?.[spoken] ?? error.message}</strong>
          </p>
          {error.remedy && <p>{say("solution", { remedy: inWords(error.remedy[spoken]) })}</p>}
          <p className="soft" title={error.message}>
            {error.code === NUMBER_TAKEN ? error.message : say("aeatCode", { code: error.code })}
          </p>
        </div>
      ))}
      {record.needsAction && mayEmit && (
        <div className="row">
          <Fix record={record} open={open} />
        </div>
      )}
      {record.burnt !== null && <p className="soft">{record.burnt}</p>}
      {!record.isNewest && record.burnt === null && <p className="soft">{say("mended")}</p>}
    </div>
  );
}
