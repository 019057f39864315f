import { useState } from "react";
import type { Versioned } from "../api/client";
import { useSaving } from "../api/saving";
import { useTeam } from "../app/session";
import { useOffer } from "../countries/queries";
import { hasSurcharges } from "../countries/taxes";
import { CountryField } from "../ui/CountryField";
import { DecimalField } from "../ui/DecimalField";
import { FormDialog } from "../ui/Dialog";
import { Checkbox, Select, TextArea, TextField } from "../ui/fields";
import type { ProblemError } from "../api/problem";
import { toast } from "../ui/toasts";
import { REFRESHES, send } from "./actions";
import { asForm, provinceOf, TEXTS, type ClientForm } from "./form";
import { fetchClient, type Client } from "./queries";
import { useText } from "./texts";

interface FieldsProps {
  form: ClientForm;
  refused: ProblemError | null;
  onChange: (changes: Partial<ClientForm>) => void;
}

function Identity({ form, refused, onChange }: FieldsProps) {
  const say = useText();
  const { country } = useTeam();
  function type(name: (typeof TEXTS)[number], value: string): void {
    const province = name === "postalCode" ? provinceOf(value) : null;
    const fillsProvince = province !== null && (form.country || country) === "ES";
    onChange({ [name]: value, ...(fillsProvince ? { province } : {}) });
  }
  return (
    <>
      <TextField
        label={say("name")}
        required
        value={form.name}
        error={refused?.forField("name")}
        onChange={(name) => onChange({ name })}
      />
      <div className="columns">
        {TEXTS.map((name) => {
          const field = { label: say(name), value: form[name], error: refused?.forField(name) };
          const take = (value: string) => type(name, value);
          if (name === "country") return <CountryField key={name} {...field} onChange={take} />;
          const kind = name === "email" ? "email" : "text";
          return <TextField key={name} {...field} type={kind} onChange={take} />;
        })}
      </div>
    </>
  );
}

function SurchargeField({ form, onChange }: Pick<FieldsProps, "form" | "onChange">) {
  const say = useText();
  const { data } = useOffer();
  if (!form.equivalenceSurcharge && !(data && hasSurcharges(data.country))) return null;
  return (
    <Checkbox
      label={say("equivalenceSurcharge")}
      hint={say("equivalenceHint")}
      checked={form.equivalenceSurcharge}
      onChange={(equivalenceSurcharge) => onChange({ equivalenceSurcharge })}
    />
  );
}

function ForInvoicing({ form, refused, onChange }: FieldsProps) {
  const say = useText();
  const { country } = useTeam();
  return (
    <fieldset className="stack">
      <legend>{say("forInvoicing")}</legend>
      <div className="columns">
        <DecimalField
          label={say("defaultTaxRate")}
          unit="%"
          value={form.defaultTaxRate}
          error={refused?.forField("defaultTaxRate")}
          onChange={(defaultTaxRate) => onChange({ defaultTaxRate })}
        />
        <DecimalField
          label={say("defaultRetentionRate")}
          unit="%"
          value={form.defaultRetentionRate}
          error={refused?.forField("defaultRetentionRate")}
          onChange={(defaultRetentionRate) => onChange({ defaultRetentionRate })}
        />
        <DecimalField
          label={say("paymentTermDays")}
          value={form.paymentTermDays}
          error={refused?.forField("paymentTermDays")}
          onChange={(paymentTermDays) => onChange({ paymentTermDays })}
        />
        <Select
          label={say("language")}
          none={say("languageUsual", {
            language: say(country === "ES" ? "spanish" : "english").toLowerCase(),
          })}
          value={form.language}
          options={[
            { value: "es", label: say("spanish") },
            { value: "ca", label: say("catalan") },
            { value: "en", label: say("english") },
          ]}
          error={refused?.forField("language")}
          onChange={(language) => onChange({ language })}
        />
      </div>
      <Checkbox
        label={say("isCompany")}
        checked={form.isCompany ?? true}
        onChange={(isCompany) => onChange({ isCompany })}
      />
      <SurchargeField form={form} onChange={onChange} />
      <TextArea
        label={say("notes")}
        value={form.notes}
        error={refused?.forField("notes")}
        onChange={(notes) => onChange({ notes })}
      />
    </fieldset>
  );
}

interface Props {
  /** Null for a new one. */
  client: Versioned<Client> | null;
  onClose: () => void;
  onSaved?: (client: Client) => void;
}

/** Create a client, or change one upon the version that was read. The NIF is checked by the server. */
export function ClientDialog({ client, onClose, onSaved }: Props) {
  const say = useText();
  const id = client?.data.id ?? "";
  const [form, setForm] = useState(() => asForm(client?.data ?? null));
  const save = useSaving<Client, Client>({
    read: client,
    shown: asForm,
    reload: () => fetchClient(id),
    run: (version, key) => send(form, id, version, key),
    refreshes: REFRESHES,
    onDone: (saved) => {
      toast(say("saved", { name: saved.name }));
      onClose();
      onSaved?.(saved);
    },
    onTheirs: (theirs) => setForm(asForm(theirs)),
  });
  const parts = {
    form,
    refused: save.error,
    onChange: (changes: Partial<ClientForm>) => setForm((before) => ({ ...before, ...changes })),
  };
  return (
    <FormDialog
      title={say(client === null ? "newClient" : "editTitle")}
      submit={say("save")}
      place="wide"
      busy={save.isPending}
      error={save.error}
      conflict={save.conflict}
      onSubmit={save.save}
      onClose={onClose}
    >
      <Identity {...parts} />
      <ForInvoicing {...parts} />
    </FormDialog>
  );
}
