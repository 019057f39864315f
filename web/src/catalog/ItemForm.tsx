import type { FormEvent } from "react";
import type { ProblemError } from "../api/problem";
import { Button, ButtonLink } from "../ui/Button";
import { DecimalField } from "../ui/DecimalField";
import { Select, TextArea, TextField } from "../ui/fields";
import { ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import type { ItemDraft } from "./itemDraft";
import { useText } from "./texts";
import { VariantsGrid } from "./VariantsGrid";

interface PartProps {
  draft: ItemDraft;
  error: ProblemError | null;
  onChange: (changes: Partial<ItemDraft>) => void;
}

function Basics({ draft, error, onChange, categories }: PartProps & { categories: readonly string[] }) {
  const say = useText();
  const types = [
    { value: "product", label: say("product") },
    { value: "service", label: say("service") },
  ];
  return (
    <Card title={say("basics")}>
      <div className="columns">
        <TextField
          label={say("name")}
          required
          value={draft.name}
          error={error?.forField("name")}
          onChange={(name) => onChange({ name })}
        />
        <Select
          label={say("type")}
          value={draft.type}
          options={types}
          onChange={(type) => onChange({ type: type === "service" ? "service" : "product" })}
        />
        <TextField
          label={say("category")}
          list="categories"
          value={draft.category}
          error={error?.forField("category")}
          onChange={(category) => onChange({ category })}
        />
        <datalist id="categories">
          {categories.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <TextField
          label={say("sku")}
          value={draft.sku}
          error={error?.forField("sku")}
          onChange={(sku) => onChange({ sku })}
        />
        <TextField
          label={say("barcode")}
          inputMode="numeric"
          value={draft.barcode}
          error={error?.forField("barcode")}
          onChange={(barcode) => onChange({ barcode })}
        />
        <TextField
          label={say("unit")}
          hint={say("unitHint")}
          value={draft.unit}
          error={error?.forField("unit")}
          onChange={(unit) => onChange({ unit })}
        />
      </div>
      <TextArea
        label={say("description")}
        value={draft.description}
        error={error?.forField("description")}
        onChange={(description) => onChange({ description })}
      />
    </Card>
  );
}

function Prices({ draft, error, onChange }: PartProps) {
  const say = useText();
  return (
    <Card title={say("money")}>
      <div className="columns">
        <DecimalField
          label={say("price")}
          unit="€"
          value={draft.unitPrice}
          error={error?.forField("unitPrice")}
          onChange={(unitPrice) => onChange({ unitPrice })}
        />
        <DecimalField
          label={say("vatRate")}
          unit="%"
          placeholder={say("noVat")}
          value={draft.taxRate}
          error={error?.forField("taxRate")}
          onChange={(taxRate) => onChange({ taxRate })}
        />
        <DecimalField
          label={say("cost")}
          unit="€"
          value={draft.cost}
          error={error?.forField("cost")}
          onChange={(cost) => onChange({ cost })}
        />
      </div>
    </Card>
  );
}

function Warehouse({ draft, error, onChange }: PartProps) {
  const say = useText();
  const hasVariants = draft.variants.length > 0;
  return (
    <Card title={say("warehouse")}>
      <div className="columns">
        <DecimalField
          label={say("stock")}
          hint={say(hasVariants ? "stockOfVariants" : "stockHint")}
          disabled={hasVariants}
          value={draft.stock}
          error={error?.forField("stock")}
          onChange={(stock) => onChange({ stock })}
        />
        <DecimalField
          label={say("lowStockThreshold")}
          hint={say("lowStockHint")}
          value={draft.lowStockThreshold}
          error={error?.forField("lowStockThreshold")}
          onChange={(lowStockThreshold) => onChange({ lowStockThreshold })}
        />
      </div>
    </Card>
  );
}

interface ItemFormProps extends PartProps {
  submit: string;
  busy: boolean;
  mayWrite: boolean;
  categories: readonly string[];
  onSubmit: () => void;
}

/** The fields of an item. Who may not change them sees them locked. */
export function ItemForm({ submit, busy, mayWrite, categories, onSubmit, ...part }: ItemFormProps) {
  const say = useText();
  function send(event: FormEvent): void {
    event.preventDefault();
    if (!busy) onSubmit();
  }
  return (
    <form className="stack" onSubmit={send} noValidate>
      <fieldset className="stack" disabled={!mayWrite}>
        <Basics {...part} categories={categories} />
        <Prices {...part} />
        {part.draft.type === "product" && (
          <>
            <Warehouse {...part} />
            <Card title={say("variants")}>
              <VariantsGrid
                variants={part.draft.variants}
                error={part.error}
                onChange={(variants) => part.onChange({ variants })}
              />
            </Card>
          </>
        )}
      </fieldset>
      <ProblemNotice error={part.error} />
      <div className="row">
        {mayWrite && (
          <Button type="submit" kind="primary" busy={busy}>
            {submit}
          </Button>
        )}
        <ButtonLink to="/catalog">{say("back")}</ButtonLink>
      </div>
    </form>
  );
}
