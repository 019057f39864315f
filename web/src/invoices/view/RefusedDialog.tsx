import { useState } from "react";
import { keyed, useAction } from "../../api/actions";
import { api, take } from "../../api/client";
import { FormDialog } from "../../ui/Dialog";
import { DateField, TextField } from "../../ui/fields";
import { toast } from "../../ui/toasts";
import { REFRESHES } from "../actions";
import { changeOf, formOf, type ChangeInput, type ClientForm, type InvoiceForm } from "../editor/form";
import { recordOf, type Invoice } from "../queries";
import { useText } from "../texts";

const FIELDS = ["taxId", "country", "address", "postalCode", "city", "province"] as const;

/** What the authority has refused can be put right, and nothing else: amounts, number and date stay. */
function correctionOf(form: InvoiceForm): ChangeInput {
  const { client, items, operationDate } = changeOf(form);
  return { ...(form.isClientChanged ? { client } : {}), items, operationDate };
}

async function correctAndEmit(id: string, body: ChangeInput, key: string) {
  const params = { path: { id } };
  await take(api.PUT("/api/invoices/{id}", { params, body, headers: keyed(key) }));
  const again = { invoiceId: id, correct: false };
  return take(api.POST("/api/einvoice/emit", { body: again, headers: keyed(`${key}.emit`) }));
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
export function RefusedDialog({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const say = useText(recordOf(invoice)?.environment);
  const [form, setForm] = useState(() => formOf(invoice));
  const correct = useAction({
    run: (body: ChangeInput, key) => correctAndEmit(invoice.id, body, key),
    refreshes: REFRESHES,
    onDone: () => {
      toast(say("recordSent"));
      onClose();
    },
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
      busy={correct.isPending}
      error={correct.error}
      onSubmit={() => correct.mutate(correctionOf(form))}
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
