import { useState } from "react";
import { useNavigate } from "react-router";
import { ProblemError } from "../api/problem";
import { FormDialog } from "../ui/Dialog";
import { TextField } from "../ui/fields";
import { Notice } from "../ui/notices";
import { toast } from "../ui/toasts";
import { useDeletion, useGeneration, useSubmission } from "./actions";
import { useFile, type Declaration } from "./queries";
import { useTaxText } from "./texts";

interface Props {
  declaration: Declaration;
  onClose: () => void;
}

/** What the file of a draft lacks, if anything. */
function MissingOfFile({ declaration }: { declaration: Declaration }) {
  const say = useTaxText();
  const { error } = useFile(declaration.id);
  if (!(error instanceof ProblemError) || error.code !== "DECLARATION_FILE_INCOMPLETE") return null;
  return (
    <Notice tone="caution" title={say("submitNoFile")}>
      <ul>
        {error.errors.map(({ field, message }) => (
          <li key={field + message}>
            <bdi>{field}</bdi>: <bdi>{message}</bdi>
          </li>
        ))}
      </ul>
      <p>{say("submitNoFileText")}</p>
    </Notice>
  );
}

/** Record a draft as filed, with the receipt that the authority gave. */
export function Submission({ declaration, onClose }: Props) {
  const say = useTaxText();
  const [reference, setReference] = useState("");
  const running = declaration.warnings.find((warning) => warning.code === "period_running");
  const submission = useSubmission(() => {
    toast(say("submitDone"));
    onClose();
  });
  function submit(): void {
    const receipt = reference.trim() && say("referenceNote", { reference: reference.trim() });
    const notes = receipt ? [declaration.notes, receipt].filter(Boolean).join("\n") : null;
    submission.mutate({ id: declaration.id, notes });
  }
  return (
    <FormDialog
      title={say("submitTitle")}
      submit={say("submit")}
      busy={submission.isPending}
      error={submission.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{say("submitText")}</p>
      <MissingOfFile declaration={declaration} />
      {running && <Notice tone="caution" title={running.message} />}
      <TextField
        label={say("reference")}
        hint={say("referenceHint")}
        value={reference}
        maxLength={60}
        onChange={setReference}
      />
    </FormDialog>
  );
}

/** Begin a declaration that amends one that was filed. */
export function Amendment({ declaration, onClose }: Props) {
  const say = useTaxText();
  const navigate = useNavigate();
  const [amends, setAmends] = useState({ receiptNumber: "", reason: "" });
  const generation = useGeneration(({ id }) => {
    onClose();
    void navigate(`/tax/${id}`);
  });
  const refused = (field: string) =>
    generation.error instanceof ProblemError ? generation.error.forField(`amends.${field}`) : undefined;
  const { country, form, year, period } = declaration;
  return (
    <FormDialog
      title={say("amend")}
      submit={say("amendGo")}
      busy={generation.isPending}
      error={generation.error}
      onSubmit={() =>
        generation.mutate({
          country,
          form,
          year,
          period,
          amends: { receiptNumber: amends.receiptNumber, reason: amends.reason || null },
        })
      }
      onClose={onClose}
    >
      <p>{say("amendText")}</p>
      <TextField
        label={say("amendReceipt")}
        required
        error={refused("receiptNumber")}
        value={amends.receiptNumber}
        onChange={(receiptNumber) => setAmends({ ...amends, receiptNumber })}
      />
      <TextField
        label={say("amendReason")}
        hint={say("amendReasonHint")}
        error={refused("reason")}
        value={amends.reason}
        onChange={(reason) => setAmends({ ...amends, reason })}
      />
    </FormDialog>
  );
}

/** Delete a draft, or a declaration that was typed in. */
export function Deletion({ declaration, onClose, onDeleted }: Props & { onDeleted: () => void }) {
  const say = useTaxText();
  const deletion = useDeletion(() => {
    toast(say("deleted"));
    onDeleted();
  });
  return (
    <FormDialog
      title={say("deleteTitle")}
      submit={say("delete")}
      kind="danger"
      busy={deletion.isPending}
      error={deletion.error}
      onSubmit={() => deletion.mutate(declaration.id)}
      onClose={onClose}
    >
      <p>{say("deleteText")}</p>
    </FormDialog>
  );
}
