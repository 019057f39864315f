import { useState } from "react";
import { ProblemError } from "../api/problem";
import { FormDialog } from "../ui/Dialog";
import { Checkbox, DateField, TextField } from "../ui/fields";
import { toast } from "../ui/toasts";
import { useContinuation } from "./actions";
import { useEinvoiceText } from "./texts";

/** Let the first record go on from the last one of the software before. */
export function ContinueChain({ onClose }: { onClose: () => void }) {
  const say = useEinvoiceText();
  const [last, setLast] = useState({
    lastNumber: "",
    lastIssueDate: "",
    lastFingerprint: "",
    reported: true,
  });
  const continuation = useContinuation((result) => {
    toast(say(`continued_${result.confirmation}`));
    onClose();
  });
  const refused = (field: string) =>
    continuation.error instanceof ProblemError ? continuation.error.forField(field) : undefined;
  return (
    <FormDialog
      title={say("continueChain")}
      submit={say("continueSubmit")}
      busy={continuation.isPending}
      error={continuation.error}
      onSubmit={() => continuation.mutate({ ...last, lastGeneratedAt: null })}
      onClose={onClose}
    >
      <p>{say("continueText")}</p>
      <TextField
        label={say("lastNumber")}
        required
        error={refused("lastNumber")}
        value={last.lastNumber}
        onChange={(lastNumber) => setLast({ ...last, lastNumber })}
      />
      <DateField
        label={say("lastIssueDate")}
        required
        error={refused("lastIssueDate")}
        value={last.lastIssueDate}
        onChange={(lastIssueDate) => setLast({ ...last, lastIssueDate })}
      />
      <TextField
        label={say("lastFingerprint")}
        hint={say("lastFingerprintHint")}
        required
        error={refused("lastFingerprint")}
        value={last.lastFingerprint}
        spellCheck={false}
        onChange={(lastFingerprint) => setLast({ ...last, lastFingerprint })}
      />
      <Checkbox
        label={say("lastReported")}
        checked={last.reported}
        onChange={(reported) => setLast({ ...last, reported })}
      />
    </FormDialog>
  );
}
