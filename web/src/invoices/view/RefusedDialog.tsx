import { useState } from "react";
import { NO_VERSION, put, type Versioned } from "../../api/client";
import { useSaving } from "../../api/saving";
import { FormDialog } from "../../ui/Dialog";
import { DateField, TextField } from "../../ui/fields";
import { toast } from "../../ui/toasts";
import { useCorrectRecord } from "../actions";
import { changeOf, formOf, type ChangeInput, type ClientForm, type InvoiceForm } from "../editor/form";
import { fetchInvoice, recordOf, type Invoice } from "../queries";
import { useText } from "../texts";

const FIELDS = ["taxId", "country", "address", "postalCode", "city", "province"] as const;

/** What the authority has refused can be put right, and nothing else: amounts with their surcharges, number and date stay. */
function correctionOf(form: InvoiceForm): ChangeInput {
  const { client, items, operationDate } = changeOf(form, {});
  return { ...(form.isClientChanged ? { client } : {}), items, operationDate };
}

/** What the dialog shows of an invoice. */
function shown(invoice: Invoice) {
  const { client, lines, operationDate } = formOf(invoice);
  return { client, descriptions: lines.map((line) => line.description), operationDate };
}

interface PartProps {
  form: InvoiceForm;
  change: (changes: Partial<InvoiceForm>) => void;
  refusal: (field: string) => string | undefined;
}

function ClientFields({ form, change, refusal }: PartProps) {
  const say = useText();
  const set = (changes: Partial<ClientForm>) =>
    change({ isClientChanged: true, client: { ...form.client, id: null, ...changes } });
  return (
    <div className="columns">
      <TextField
        label={say("clientName")}
        value={form.client.name}
        error={refusal("client.name")}
        onChange={(name) => set({ name })}
      />
      {FIELDS.map((name) => (
        <TextField
          key={name}
          label={say(name)}
          value={form.client[name]}
          error={refusal(`client.${name}`)}
          onChange={(value) => set({ [name]: value })}
        />
      ))}
    </div>
  );
}

function Descriptions({ form, change, refusal }: PartProps) {
  const say = useText();
  return form.lines.map((line, place) => (
    <TextField
      key={line.key}
      label={say("descriptionOf", { place: place + 1 })}
      value={line.description}
      error={refusal(`items[${place}].description`)}
      onChange={(description) =>
        change({
          lines: form.lines.map((other) => (other.key === line.key ? { ...other, description } : other)),
        })
      }
    />
  ));
}

/** Put right what the authority refused, and emit the invoice again with the same number. */
export function RefusedDialog({ loaded, onClose }: { loaded: Versioned<Invoice>; onClose: () => void }) {
  const say = useText(recordOf(loaded.data)?.environment);
  const { id } = loaded.data;
  const [form, setForm] = useState(() => formOf(loaded.data));
  const emitting = useCorrectRecord();
  const done = () => {
    toast(say("recordSent"));
    onClose();
  };
  const correct = useSaving<Invoice, Invoice>({
    read: loaded,
    shown,
    reload: () => fetchInvoice(id),
    run: (version) =>
      put(version ?? NO_VERSION)("/api/invoices/{id}", {
        params: { path: { id } },
        body: correctionOf(form),
      }),
    refreshes: [["invoices"]],
    onTheirs: (theirs) => setForm(formOf(theirs)),
    onDone: () => emitting.mutate({ id, correct: false }, { onSuccess: done }),
  });
  const parts: PartProps = {
    form,
    change: (changes) => setForm((before) => ({ ...before, ...changes })),
    refusal: (field) => correct.error?.forField(field),
  };
  return (
    <FormDialog
      title={say("refusedFix")}
      submit={say("saveAndEmit")}
      place="wide"
      busy={correct.isPending || emitting.isPending}
      error={correct.error ?? emitting.error}
      conflict={correct.conflict}
      onSubmit={correct.save}
      onClose={onClose}
    >
      <p>{say("refusedFixText")}</p>
      <ClientFields {...parts} />
      <Descriptions {...parts} />
      <DateField
        label={say("operationDate")}
        value={form.operationDate}
        error={parts.refusal("operationDate")}
        onChange={(operationDate) => parts.change({ operationDate })}
      />
    </FormDialog>
  );
}
