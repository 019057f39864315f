import { useState } from "react";
import { ProblemError } from "../api/problem";
import { FormDialog } from "../ui/Dialog";
import { TextArea } from "../ui/fields";
import { Notice } from "../ui/notices";
import { toast } from "../ui/toasts";
import { useAnnulment, useEmission } from "./actions";
import type { FiscalRecord } from "./queries";
import { useEinvoiceText } from "./texts";

interface Props {
  record: FiscalRecord;
  onClose: () => void;
}

/** Make another record of an invoice and send it. */
export function Emission({ record, onClose }: Props) {
  const say = useEinvoiceText();
  const emission = useEmission((result) => {
    toast(say("sent", { number: result.number, status: say(result.status) }));
    onClose();
  });
  return (
    <FormDialog
      title={say("sendAgainTitle", { number: record.number })}
      submit={say("sendAgain")}
      busy={emission.isPending}
      error={emission.error}
      onSubmit={() =>
        emission.mutate({ invoiceId: record.invoiceId, correct: record.status === "accepted_with_errors" })
      }
      onClose={onClose}
    >
      <p>{say("sendAgainText")}</p>
      {record.needsAction && <Notice tone="caution" title={say("sendAgainFirst")} />}
    </FormDialog>
  );
}

/** Strike out an invoice that should never have been issued. */
export function Annulment({ record, onClose }: Props) {
  const say = useEinvoiceText();
  const [reason, setReason] = useState(record.reason ?? "");
  const annulment = useAnnulment((result) => {
    toast(result.warning ?? say("annulDone", { number: result.number, status: say(result.status) }));
    onClose();
  });
  const refused = annulment.error instanceof ProblemError ? annulment.error.forField("reason") : undefined;
  return (
    <FormDialog
      title={say("annulTitle", { number: record.number })}
      submit={say("annulSubmit")}
      kind="danger"
      busy={annulment.isPending}
      error={annulment.error}
      onSubmit={() => annulment.mutate({ fiscalId: record.fiscalId, reason })}
      onClose={onClose}
    >
      <p>{say("annulText")}</p>
      <TextArea
        label={say("annulReason")}
        hint={say("annulReasonHint")}
        required
        error={refused}
        value={reason}
        maxLength={500}
        onChange={setReason}
      />
    </FormDialog>
  );
}
