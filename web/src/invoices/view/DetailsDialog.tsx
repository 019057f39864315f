import { useState } from "react";
import { NO_VERSION, put, type Versioned } from "../../api/client";
import { useSaving } from "../../api/saving";
import { FormDialog } from "../../ui/Dialog";
import { DateField, TextArea } from "../../ui/fields";
import { fetchInvoice, type Invoice } from "../queries";
import { useText } from "../texts";

/** Notes and due date: what may change of an issued invoice. */
export function DetailsDialog({ loaded, onClose }: { loaded: Versioned<Invoice>; onClose: () => void }) {
  const say = useText();
  const { id } = loaded.data;
  const [notes, setNotes] = useState(loaded.data.notes ?? "");
  const [dueDate, setDueDate] = useState(loaded.data.dueDate);
  const change = useSaving<Invoice, Invoice>({
    read: loaded,
    shown: (invoice) => [invoice.notes, invoice.dueDate],
    reload: () => fetchInvoice(id),
    run: (version) =>
      put(version ?? NO_VERSION)("/api/invoices/{id}", {
        params: { path: { id } },
        body: { notes: notes || null, dueDate },
      }),
    refreshes: [["invoices"]],
    onDone: onClose,
    onTheirs: (theirs) => {
      setNotes(theirs.notes ?? "");
      setDueDate(theirs.dueDate);
    },
  });
  return (
    <FormDialog
      title={say("changeTitle")}
      submit={say("save")}
      busy={change.isPending}
      error={change.error}
      conflict={change.conflict}
      onSubmit={change.save}
      onClose={onClose}
    >
      <DateField
        label={say("dueDate")}
        value={dueDate}
        error={change.error?.forField("dueDate")}
        onChange={setDueDate}
      />
      <TextArea
        label={say("notes")}
        value={notes}
        error={change.error?.forField("notes")}
        onChange={setNotes}
      />
    </FormDialog>
  );
}
