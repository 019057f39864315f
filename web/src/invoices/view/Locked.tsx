import { useState } from "react";
import type { Versioned } from "../../api/client";
import { Button } from "../../ui/Button";
import { Notice } from "../../ui/notices";
import { isTaken, recordOf, type Invoice } from "../queries";
import { useInvoiceRights } from "../rights";
import { useText, type InvoiceText } from "../texts";
import { CreditNoteDialog } from "./CreditNoteDialog";
import { DetailsDialog } from "./DetailsDialog";

function why(invoice: Invoice): InvoiceText {
  const record = recordOf(invoice);
  if (invoice.origin === "external") return "lockedExternal";
  if (record === null) return "lockedUnsent";
  if (isTaken(record)) return "lockedTaken";
  return record.status === "rejected" ? "lockedRejected" : "lockedFields";
}

/** Why an issued invoice does not change, and what can be done instead. */
export function Locked({ loaded }: { loaded: Versioned<Invoice> }) {
  const invoice = loaded.data;
  const say = useText(recordOf(invoice)?.environment);
  const rights = useInvoiceRights()(invoice);
  const [opened, open] = useState<"credit" | "details" | null>(null);
  const mayChange = invoice.origin !== "external" && rights.send;
  return (
    <>
      <Notice
        title={say("lockedTitle")}
        action={
          <div className="row">
            {rights.credit && <Button onClick={() => open("credit")}>{say("correct")}</Button>}
            {mayChange && <Button onClick={() => open("details")}>{say("changeDetails")}</Button>}
          </div>
        }
      >
        <p>{say(why(invoice))}</p>
      </Notice>
      {opened === "credit" && <CreditNoteDialog invoice={invoice} onClose={() => open(null)} />}
      {opened === "details" && <DetailsDialog loaded={loaded} onClose={() => open(null)} />}
    </>
  );
}
