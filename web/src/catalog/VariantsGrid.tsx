import type { ProblemError } from "../api/problem";
import { Button } from "../ui/Button";
import { DecimalField } from "../ui/DecimalField";
import { Checkbox, TextField } from "../ui/fields";
import { newVariant, type VariantDraft } from "./itemDraft";
import { useText } from "./texts";

interface VariantsGridProps {
  variants: readonly VariantDraft[];
  error: ProblemError | null;
  onChange: (variants: VariantDraft[]) => void;
}

interface VariantRowProps {
  variant: VariantDraft;
  place: number;
  error: ProblemError | null;
  onChange: (changes: Partial<VariantDraft>) => void;
  onRemove: () => void;
}

/** One variant; a stored one is taken off sale instead of removed, since documents name it by its place. */
function VariantRow({ variant, place, error, onChange, onRemove }: VariantRowProps) {
  const say = useText();
  const shown = place + 1;
  const refusal = (field: string) => error?.forField(`variants[${place}].${field}`);
  const isStored = /^\d+$/.test(variant.key);
  return (
    <div className="variant" role="group" aria-label={say("variant", { place: shown })}>
      <TextField
        label={say("name")}
        aria-label={say("variantName", { place: shown })}
        value={variant.name}
        error={refusal("name")}
        onChange={(name) => onChange({ name })}
      />
      <TextField
        label={say("attributes")}
        aria-label={say("variantAttributes", { place: shown })}
        placeholder={say("attributesHint")}
        value={variant.attributes}
        error={refusal("attributes")}
        onChange={(attributes) => onChange({ attributes })}
      />
      <TextField
        label={say("sku")}
        aria-label={say("variantSku", { place: shown })}
        value={variant.sku}
        error={refusal("sku")}
        onChange={(sku) => onChange({ sku })}
      />
      <DecimalField
        label={say("priceShort")}
        aria-label={say("variantPrice", { place: shown })}
        unit="€"
        value={variant.unitPrice}
        error={refusal("unitPrice")}
        onChange={(unitPrice) => onChange({ unitPrice })}
      />
      <DecimalField
        label={say("stock")}
        aria-label={say("variantStock", { place: shown })}
        value={variant.stock}
        error={refusal("stock")}
        onChange={(stock) => onChange({ stock })}
      />
      {isStored ? (
        <Checkbox
          label={say("variantActive")}
          checked={variant.isActive}
          onChange={(isActive) => onChange({ isActive })}
        />
      ) : (
        <Button icon="trash" label={say("removeVariant", { place: shown })} onClick={onRemove} />
      )}
    </div>
  );
}

/** The variants of an item, one row each. */
export function VariantsGrid({ variants, error, onChange }: VariantsGridProps) {
  const say = useText();
  return (
    <div className="variants">
      <p className="soft">{say("variantsHint")}</p>
      {variants.map((variant, place) => (
        <VariantRow
          key={variant.key}
          variant={variant}
          place={place}
          error={error}
          onChange={(changes) =>
            onChange(variants.map((one) => (one.key === variant.key ? { ...one, ...changes } : one)))
          }
          onRemove={() => onChange(variants.filter((one) => one.key !== variant.key))}
        />
      ))}
      <div>
        <Button icon="add" onClick={() => onChange([...variants, newVariant()])}>
          {say("addVariant")}
        </Button>
      </div>
    </div>
  );
}
