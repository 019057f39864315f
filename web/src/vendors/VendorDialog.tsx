import { useState } from "react";
import { CountryField } from "../ui/CountryField";
import { FormDialog } from "../ui/Dialog";
import { DecimalField } from "../ui/DecimalField";
import { TextArea, TextField } from "../ui/fields";
import { useSaveVendor } from "./actions";
import type { Vendor, VendorInput } from "./queries";
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

function formOf(vendor: Vendor | null): Form {
  const text = (value: string | number | null | undefined) => (value === null ? "" : String(value ?? ""));
  const texts = Object.fromEntries(TEXTS.map((name) => [name, text(vendor?.[name])])) as Form;
  return {
    ...texts,
    country: vendor?.country ?? "ES",
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

interface VendorDialogProps {
  vendor: Vendor | null;
  onClose: () => void;
  onSaved: (vendor: Vendor) => void;
}

/** A vendor's data, new or changed. */
export function VendorDialog({ vendor, onClose, onSaved }: VendorDialogProps) {
  const say = useText();
  const [form, setForm] = useState(() => formOf(vendor));
  const save = useSaveVendor(vendor?.id ?? null, onSaved);
  const bind = (name: keyof Form) => ({
    value: form[name],
    onChange: (value: string) => setForm((before) => ({ ...before, [name]: value })),
    error: save.error?.forField(name),
  });
  return (
    <FormDialog
      place="wide"
      title={vendor ? say("change") : say("newVendor")}
      submit={say("save")}
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={() => save.mutate(requestOf(form))}
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
