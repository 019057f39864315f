import type { ProblemError } from "../api/problem";
import { useHints } from "../texts/country";
import { DecimalField } from "../ui/DecimalField";
import { Checkbox, TextField } from "../ui/fields";
import type { CompanyForm } from "./company";
import { useText } from "./texts";

interface FieldsProps {
  form: CompanyForm;
  onChange: (changes: Partial<CompanyForm>) => void;
  refused: ProblemError | null;
}

/** Who issues: name, NIF and address as invoices print them. */
export function IdentityFields({ form, onChange, refused }: FieldsProps) {
  const say = useText();
  const bind = (name: keyof CompanyForm) => ({
    value: String(form[name] ?? ""),
    onChange: (value: string) => onChange({ [name]: value }),
    error: refused?.forField(name),
  });
  return (
    <>
      <div className="columns">
        <TextField
          label={say("company")}
          hint={say("companyHint")}
          autoComplete="organization"
          {...bind("company")}
        />
        <TextField label={say("taxId")} hint={say("taxIdHint")} {...bind("taxId")} />
      </div>
      <TextField label={say("address")} autoComplete="street-address" {...bind("address")} />
      <div className="columns">
        <TextField
          label={say("postalCode")}
          autoComplete="postal-code"
          inputMode="numeric"
          {...bind("postalCode")}
        />
        <TextField label={say("city")} autoComplete="address-level2" {...bind("city")} />
        <TextField label={say("province")} autoComplete="address-level1" {...bind("province")} />
      </div>
    </>
  );
}

/** Where answers to the company's mails go. */
export function EmailField({ form, onChange, refused }: FieldsProps) {
  const say = useText();
  return (
    <TextField
      label={say("email")}
      hint={say("emailHint")}
      type="email"
      autoComplete="email"
      value={form.email}
      onChange={(email) => onChange({ email })}
      error={refused?.forField("email")}
    />
  );
}

/** How clients reach the company. */
export function ContactFields({ form, onChange, refused }: FieldsProps) {
  const say = useText();
  return (
    <div className="columns">
      <EmailField form={form} onChange={onChange} refused={refused} />
      <TextField
        label={say("phone")}
        type="tel"
        value={form.phone}
        onChange={(phone) => onChange({ phone })}
        error={refused?.forField("phone")}
      />
    </div>
  );
}

/** What each new invoice begins with. */
export function DefaultFields({ form, onChange, refused }: FieldsProps) {
  const say = useText();
  const hints = useHints();
  return (
    <div className="columns">
      <DecimalField
        label={say("defaultTaxRate")}
        hint={say("defaultTaxRateHint")}
        unit="%"
        value={form.defaultTaxRate}
        onChange={(defaultTaxRate) => onChange({ defaultTaxRate })}
        error={refused?.forField("defaultTaxRate")}
      />
      <DecimalField
        label={say("defaultRetentionRate")}
        hint={hints.defaultRetentionRate}
        unit="%"
        value={form.defaultRetentionRate}
        onChange={(defaultRetentionRate) => onChange({ defaultRetentionRate })}
        error={refused?.forField("defaultRetentionRate")}
      />
      <DecimalField
        label={say("paymentTermDays")}
        unit={say("days")}
        value={form.paymentTermDays}
        onChange={(paymentTermDays) => onChange({ paymentTermDays })}
        error={refused?.forField("paymentTermDays")}
      />
    </div>
  );
}

/** Prefixes of numbers, and the account to pay to. */
export function SeriesFields({ form, onChange, refused }: FieldsProps) {
  const say = useText();
  const hints = useHints();
  const series = [
    ["invoiceSeries", "series.invoice", "F"],
    ["simplifiedSeries", "series.simplified", "T"],
    ["creditNoteSeries", "series.creditNote", "R"],
  ] as const;
  return (
    <>
      <div className="columns">
        {series.map(([name, field, usual]) => (
          <TextField
            key={name}
            label={say(name)}
            hint={say("seriesHint", { usual })}
            maxLength={10}
            placeholder={usual}
            value={form[name]}
            onChange={(value) => onChange({ [name]: value.toUpperCase() })}
            error={refused?.forField(field)}
          />
        ))}
      </div>
      {hints.higherSimplifiedLimit && (
        <Checkbox
          label={say("higherSimplifiedLimit")}
          hint={hints.higherSimplifiedLimit}
          checked={form.higherSimplifiedLimit}
          onChange={(higherSimplifiedLimit) => onChange({ higherSimplifiedLimit })}
        />
      )}
      <TextField
        label={say("iban")}
        hint={say("ibanHint")}
        value={form.iban}
        onChange={(iban) => onChange({ iban })}
        error={refused?.forField("iban")}
      />
    </>
  );
}
