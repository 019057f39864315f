import { useState } from "react";
import { keyed } from "../api/actions";
import { api, put, type Answer, type Versioned } from "../api/client";
import { useSaving } from "../api/saving";
import { useTeam } from "../app/session";
import { CountryField } from "../ui/CountryField";
import { FormDialog } from "../ui/Dialog";
import { DecimalField } from "../ui/DecimalField";
import { TextArea, TextField } from "../ui/fields";
import { REFRESHES } from "./actions";
import { fetchVendor, type Vendor, type VendorInput } from "./queries";
import { useText } from "./texts";

const TEXTS = [
  "name",
  "taxId",
  "country",
  "email",
  "phone",
  "address",
  "postalCode",
  "city",
  "province",
  "contactName",
  "iban",
  "notes",
] as const;

type Form = Record<(typeof TEXTS)[number] | "paymentTermDays" | "defaultTaxRate", string>;

/** `own` is the country of the team, which a new vendor begins with. */
function formOf(vendor: Vendor | null, name: string, own: string): Form {
  const text = (value: string | number | null | undefined) => (value === null ? "" : String(value ?? ""));
  const texts = Object.fromEntries(TEXTS.map((name) => [name, text(vendor?.[name])])) as Form;
  return {
    ...texts,
    name: vendor?.name ?? name,
    country: vendor?.country ?? own,
    paymentTermDays: text(vendor?.paymentTermDays),
    defaultTaxRate: text(vendor?.defaultTaxRate),
  };
}

function requestOf(form: Form): VendorInput {
  const orNull = (value: string) => value.trim() || null;
  const figure = (value: string) => (value === "" ? null : Number(value));
  const texts = Object.fromEntries(TEXTS.map((name) => [name, orNull(form[name])]));
  return {
    ...texts,
    name: form.name.trim(),
    paymentTermDays: figure(form.paymentTermDays),
    defaultTaxRate: figure(form.defaultTaxRate),
  };
}

function send(id: string, body: VendorInput, version: string | null, key: string): Promise<Answer<Vendor>> {
  if (version === null) return api.POST("/api/vendors", { body, headers: keyed(key) });
  return put(version)("/api/vendors/{id}", { params: { path: { id } }, body });
}

interface VendorDialogProps {
  /** Null for a new one. */
  vendor: Versioned<Vendor> | null;
  /** What was typed where the dialog was asked for: the name of a new vendor. */
  name?: string;
  onClose: () => void;
  onSaved: (vendor: Vendor) => void;
}

/** A vendor's data, new or changed. */
export function VendorDialog({ vendor, name = "", onClose, onSaved }: VendorDialogProps) {
  const say = useText();
  const { country } = useTeam();
  const [form, setForm] = useState(() => formOf(vendor?.data ?? null, name, country));
  const save = useSaving<Vendor, Vendor>({
    read: vendor,
    shown: (one) => formOf(one, "", country),
    reload: () => fetchVendor(vendor?.data.id ?? ""),
    run: (version, key) => send(vendor?.data.id ?? "", requestOf(form), version, key),
    refreshes: REFRESHES,
    onDone: onSaved,
    onTheirs: (theirs) => setForm(formOf(theirs, "", country)),
  });
  const bind = (field: keyof Form) => ({
    value: form[field],
    onChange: (value: string) => setForm((before) => ({ ...before, [field]: value })),
    error: save.error?.forField(field),
  });
  return (
    <FormDialog
      place="wide"
      title={vendor ? say("change") : say("newVendor")}
      submit={say("save")}
      busy={save.isPending}
      error={save.error}
      conflict={save.conflict}
      onClose={onClose}
      onSubmit={save.save}
    >
      <div className="columns">
        <TextField label={say("name")} required {...bind("name")} />
        <TextField label={say("taxId")} hint={say("taxIdHint")} {...bind("taxId")} />
        <CountryField label={say("country")} {...bind("country")} />
      </div>
      <div className="columns">
        <TextField label={say("email")} type="email" {...bind("email")} />
        <TextField label={say("phone")} type="tel" {...bind("phone")} />
        <TextField label={say("contactName")} {...bind("contactName")} />
      </div>
      <TextField label={say("address")} {...bind("address")} />
      <div className="columns">
        <TextField label={say("postalCode")} {...bind("postalCode")} />
        <TextField label={say("city")} {...bind("city")} />
        <TextField label={say("province")} {...bind("province")} />
      </div>
      <div className="columns">
        <TextField label="IBAN" {...bind("iban")} />
        <DecimalField label={say("paymentTermDays")} unit={say("days")} {...bind("paymentTermDays")} />
        <DecimalField label={say("defaultTaxRate")} unit="%" {...bind("defaultTaxRate")} />
      </div>
      <TextArea label={say("notes")} {...bind("notes")} />
    </FormDialog>
  );
}
