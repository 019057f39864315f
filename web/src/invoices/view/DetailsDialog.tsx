import { useState } from "react";
import { keyed, useAction } from "../../api/actions";
import { api, take, type Schemas } from "../../api/client";
import { FormDialog } from "../../ui/Dialog";
import { DateField, TextArea } from "../../ui/fields";
import type { Invoice } from "../queries";
import { useText } from "../texts";

/** Notes and due date: what may change of an issued invoice. */
export function DetailsDialog({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const say = useText();
  const [notes, setNotes] = useState(invoice.notes ?? "");
  const [dueDate, setDueDate] = useState(invoice.dueDate);
  const change = useAction({
    run: (body: Schemas["InvoiceChange"], key) =>
      take(
        api.PUT("/api/invoices/{id}", { params: { path: { id: invoice.id } }, body, headers: keyed(key) }),
      ),
    refreshes: [["invoices"]],
    onDone: onClose,
  });
  return (
    <FormDialog
      title={say("changeTitle")}
      submit={say("save")}
      busy={change.isPending}
      error={change.error}
      onSubmit={() => change.mutate({ notes: notes || null, dueDate })}
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
