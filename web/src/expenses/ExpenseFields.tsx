import { useId, useState, type ReactNode } from "react";
import type { ProblemError } from "../api/problem";
import { useHints } from "../texts/country";
import { Button } from "../ui/Button";
import { DecimalField } from "../ui/DecimalField";
import { Checkbox, DateField, Field, Select, TextArea, TextField } from "../ui/fields";
import { ProblemNotice } from "../ui/notices";
import { Typeahead } from "../ui/Typeahead";
import { useCategorize } from "./actions";
import type { ExpenseForm } from "./form";
import { vendorMatches } from "./queries";
import { CATEGORIES, useCategoryKey, useCategoryName, useText } from "./texts";

export interface ExpenseFieldsProps {
  form: ExpenseForm;
  onChange: (changes: Partial<ExpenseForm>) => void;
  refused: ProblemError | null;
  /** What stands below a field, as "read with doubts". */
  remark?: (field: keyof ExpenseForm) => ReactNode;
  currency?: string;
}

function CategoryField({ form, onChange, refused, remark }: ExpenseFieldsProps) {
  const say = useText();
  const list = useId();
  const categoryName = useCategoryName();
  const categoryKey = useCategoryKey();
  const [typed, setTyped] = useState<string | null>(null);
  const categorize = useCategorize((category) => onChange({ category }));
  const hasWords = form.description.trim() !== "" || form.vendor.trim() !== "";
  return (
    <div className="stack">
      <Field label={say("category")} hint={remark?.("category")} error={refused?.forField("category")}>
        {(control) => (
          <span className="with-unit">
            <input
              {...control}
              list={list}
              value={typed ?? categoryName(form.category)}
              onChange={(event) => {
                setTyped(event.target.value);
                onChange({ category: categoryKey(event.target.value) });
              }}
              onBlur={() => setTyped(null)}
            />
            <Button
              icon="spark"
              label={say("proposeCategory")}
              busy={categorize.isPending}
              disabled={!hasWords}
              onClick={() => categorize.mutate({ description: form.description, vendor: form.vendor })}
            />
          </span>
        )}
      </Field>
      <datalist id={list}>
        {CATEGORIES.map((category) => (
          <option key={category} value={categoryName(category)} />
        ))}
      </datalist>
      <ProblemNotice error={categorize.error} />
    </div>
  );
}

function VendorFields({ form, onChange, refused, remark }: ExpenseFieldsProps) {
  const say = useText();
  return (
    <div className="columns">
      <div>
        <Typeahead
          label={say("vendor")}
          value={form.vendor}
          onType={(vendor) => onChange({ vendor, vendorId: null })}
          onChoose={(match) =>
            onChange({
              vendor: match.label,
              vendorId: match.id,
              vendorTaxId: match.taxId ?? "",
              ...(match.category ? { category: match.category } : {}),
              ...(match.taxRate === null ? {} : { taxRate: String(match.taxRate) }),
            })
          }
          queryKey={["vendors", "matches"]}
          search={vendorMatches}
          error={refused?.forField("vendor") ?? refused?.forField("vendorId")}
        />
        {remark?.("vendor")}
      </div>
      <TextField
        label={say("vendorTaxId")}
        hint={remark?.("vendorTaxId")}
        value={form.vendorTaxId}
        onChange={(vendorTaxId) => onChange({ vendorTaxId })}
        error={refused?.forField("vendorTaxId")}
      />
      <TextField
        label={say("invoiceNumber")}
        value={form.invoiceNumber}
        onChange={(invoiceNumber) => onChange({ invoiceNumber })}
        error={refused?.forField("invoiceNumber")}
      />
    </div>
  );
}

const RETENTION_KINDS = ["employment", "employment_in_kind", "professional", "rent", "other"] as const;

function TaxFields({ form, onChange, refused, currency = "€" }: ExpenseFieldsProps) {
  const say = useText();
  const hints = useHints();
  return (
    <details className="further">
      <summary>{say("further")}</summary>
      <div className="stack">
        <div className="columns">
          <DecimalField
            label={say("taxAmount")}
            hint={say("taxAmountHint")}
            unit={currency}
            value={form.taxAmount}
            onChange={(taxAmount) => onChange({ taxAmount })}
            error={refused?.forField("taxAmount")}
          />
          <DecimalField
            label={say("retentionRate")}
            unit="%"
            value={form.retentionRate}
            onChange={(retentionRate) => onChange({ retentionRate })}
            error={refused?.forField("retentionRate")}
          />
          <Select
            label={say("retentionKind")}
            hint={hints.retentionKind}
            none={say("retentionKind_none")}
            value={form.retentionKind}
            options={RETENTION_KINDS.map((value) => ({ value, label: say(`retentionKind_${value}`) }))}
            onChange={(retentionKind) => onChange({ retentionKind })}
            error={refused?.forField("retentionKind")}
          />
          <DecimalField
            label={say("deductiblePercent")}
            hint={hints.deductiblePercent}
            unit="%"
            value={form.deductiblePercent}
            onChange={(deductiblePercent) => onChange({ deductiblePercent })}
            error={refused?.forField("deductiblePercent")}
          />
          <DecimalField
            label={say("incomeTaxPercent")}
            unit="%"
            value={form.incomeTaxPercent}
            onChange={(incomeTaxPercent) => onChange({ incomeTaxPercent })}
            error={refused?.forField("incomeTaxPercent")}
          />
          <DecimalField
            label={say("usefulLifeYears")}
            hint={say("usefulLifeYearsHint")}
            value={form.usefulLifeYears}
            onChange={(usefulLifeYears) => onChange({ usefulLifeYears })}
            error={refused?.forField("usefulLifeYears")}
          />
        </div>
        <Checkbox
          label={say("deductible")}
          checked={form.deductible}
          onChange={(deductible) => onChange({ deductible })}
        />
        <Checkbox
          label={say("investmentGood")}
          hint={hints.investmentGood}
          checked={form.investmentGood}
          onChange={(investmentGood) => onChange({ investmentGood })}
        />
        <Checkbox
          label={say("reverseCharge")}
          checked={form.reverseCharge}
          onChange={(reverseCharge) => onChange({ reverseCharge })}
        />
        <Select
          label={say("intraEu")}
          value={form.intraEu}
          options={(["none", "goods", "services"] as const).map((value) => ({
            value,
            label: say(`intraEu_${value}`),
          }))}
          onChange={(value) => onChange({ intraEu: value as ExpenseForm["intraEu"] })}
        />
        <TextArea
          label={say("notes")}
          value={form.notes}
          onChange={(notes) => onChange({ notes })}
          error={refused?.forField("notes")}
        />
      </div>
    </details>
  );
}

/** The fields of an expense: those that every expense has first, the rest of the tax folded away. */
export function ExpenseFields(props: ExpenseFieldsProps) {
  const { form, onChange, refused, remark, currency = "€" } = props;
  const say = useText();
  const kinds = (["simplified", "invoice", "no_invoice", "credit_note", "import"] as const).map((value) => ({
    value,
    label: say(`docType_${value}`),
  }));
  return (
    <div className="stack">
      <TextField
        label={say("description")}
        required
        hint={remark?.("description")}
        value={form.description}
        onChange={(description) => onChange({ description })}
        error={refused?.forField("description")}
      />
      <div className="columns">
        <DecimalField
          label={say("amount")}
          required
          unit={currency}
          hint={remark?.("amount") ?? say("amountHint")}
          value={form.amount}
          onChange={(amount) => onChange({ amount })}
          error={refused?.forField("amount")}
        />
        <DateField
          label={say("date")}
          required
          hint={remark?.("date")}
          value={form.date}
          onChange={(date) => onChange({ date })}
          error={refused?.forField("date")}
        />
        <DecimalField
          label={say("taxRate")}
          unit="%"
          hint={remark?.("taxRate")}
          value={form.taxRate}
          onChange={(taxRate) => onChange({ taxRate, taxAmount: "" })}
          error={refused?.forField("taxRate")}
        />
      </div>
      <VendorFields {...props} />
      <div className="columns">
        <Select
          label={say("docType")}
          value={form.docType}
          options={kinds}
          onChange={(value) => onChange({ docType: value as ExpenseForm["docType"] })}
          error={refused?.forField("docType")}
        />
        <CategoryField {...props} />
      </div>
      <TaxFields {...props} />
    </div>
  );
}
