import { useState } from "react";
import { FormDialog } from "../../ui/Dialog";
import { TextField } from "../../ui/fields";
import { Notice } from "../../ui/notices";
import { toast } from "../../ui/toasts";
import { useAnnul } from "../actions";
import { recordOf, type Invoice } from "../queries";
import { useText } from "../texts";

export function AnnulDialog({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const say = useText(recordOf(invoice)?.environment);
  const [reason, setReason] = useState("");
  const annul = useAnnul(() => {
    toast(say("annulDone"));
    onClose();
  });
  const fiscalId = recordOf(invoice)?.fiscalId ?? "";
  return (
    <FormDialog
      title={say("annulTitle", { number: invoice.number ?? "" })}
      submit={say("annul")}
      kind="danger"
      busy={annul.isPending}
      error={annul.error}
      onSubmit={() => annul.mutate({ fiscalId, reason })}
      onClose={onClose}
    >
      <Notice tone="caution" title={say("annulWarning")} />
      <p>{say("annulText")}</p>
      <TextField
        label={say("annulReason")}
        required
        value={reason}
        error={annul.error?.forField("reason")}
        onChange={setReason}
      />
    </FormDialog>
  );
}
