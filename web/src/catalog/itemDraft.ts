import { fieldAmount } from "../money/exact";
import type { Schemas } from "../api/client";
import type { CatalogItem, Variant } from "./queries";

type ItemInput = Schemas["ItemInput"];
type VariantInput = Schemas["VariantInput"];

/** A variant as it is typed; numbers are decimal text. */
export interface VariantDraft {
  key: string;
  name: string;
  sku: string;
  attributes: string;
  unitPrice: string;
  stock: string;
  isActive: boolean;
}

/** An item as it is typed; numbers are decimal text, empty for none. */
export interface ItemDraft {
  type: "product" | "service";
  name: string;
  sku: string;
  barcode: string;
  description: string;
  category: string;
  unit: string;
  unitPrice: string;
  cost: string;
  taxRate: string;
  stock: string;
  lowStockThreshold: string;
  variants: VariantDraft[];
}

const NUMBERS = ["unitPrice", "cost", "taxRate", "stock", "lowStockThreshold"] as const;
const TEXTS = ["sku", "barcode", "description", "category", "unit"] as const;

const textOf = (value: number | string | null) => (value === null ? "" : String(value));
const numberOf = (text: string) => (text === "" ? null : Number(text));

export function attributesText(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

/** `talla=M, color=azul` as attributes; a part without a sign is a name without a value. */
export function attributesOf(text: string): Record<string, string> {
  const parts = text.split(",").map((part) => part.trim());
  return Object.fromEntries(
    parts
      .filter((part) => part !== "")
      .map((part) => {
        const [name = "", ...value] = part.split("=");
        return [name.trim(), value.join("=").trim()];
      }),
  );
}

function variantDraft(variant: Variant, place: number): VariantDraft {
  return {
    key: String(place),
    name: variant.name,
    sku: textOf(variant.sku),
    attributes: attributesText(variant.attributes),
    unitPrice: fieldAmount(variant.unitPrice),
    stock: textOf(variant.stock),
    isActive: variant.isActive,
  };
}

export function newVariant(): VariantDraft {
  const key = crypto.randomUUID();
  return { key, name: "", sku: "", attributes: "", unitPrice: "", stock: "", isActive: true };
}

export function emptyItem(): ItemDraft {
  const texts = { name: "", sku: "", barcode: "", description: "", category: "", unit: "" };
  const numbers = { unitPrice: "", cost: "", taxRate: "", stock: "", lowStockThreshold: "" };
  return { type: "product", ...texts, ...numbers, variants: [] };
}

export function draftOf(item: CatalogItem): ItemDraft {
  const texts = Object.fromEntries([...TEXTS, ...NUMBERS].map((name) => [name, textOf(item[name])]));
  const draft = { ...emptyItem(), ...texts };
  return { ...draft, type: item.type, name: item.name, variants: item.variants.map(variantDraft) };
}

/** A variant that was removed goes back inactive: it keeps its place, which invoices name. */
function variantInput(variant: VariantDraft, before: Variant | undefined): VariantInput {
  const input: VariantInput = {
    name: variant.name,
    sku: variant.sku || null,
    attributes: attributesOf(variant.attributes),
    unitPrice: numberOf(variant.unitPrice),
    isActive: variant.isActive,
  };
  const isCounted = before === undefined || textOf(before.stock) !== variant.stock;
  return isCounted ? { ...input, stock: numberOf(variant.stock) } : input;
}

/** What is sent: a stock only where it was typed anew, so that what was sold meanwhile is not undone. */
export function inputOf(draft: ItemDraft, before: CatalogItem | null): ItemInput {
  const texts = Object.fromEntries(TEXTS.map((name) => [name, draft[name] || null]));
  const numbers = Object.fromEntries(
    NUMBERS.filter((name) => name !== "stock").map((name) => [name, numberOf(draft[name])]),
  );
  const input: ItemInput = { ...texts, ...numbers, name: draft.name, type: draft.type };
  input.unitPrice = Number(draft.unitPrice || "0");
  if (draft.variants.length > 0 || before?.variants.length) {
    const stored = (variant: VariantDraft) => before?.variants[Number(variant.key)];
    input.variants = draft.variants.map((variant) => variantInput(variant, stored(variant)));
  } else if (before === null || textOf(before.stock) !== draft.stock) {
    input.stock = numberOf(draft.stock);
  }
  return input;
}
