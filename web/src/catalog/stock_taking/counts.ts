import { decimalText, isDecimal, scaled } from "../../money/exact";
import type { CatalogItem } from "../queries";

const SCALE = 4;

/** An item or a variant of one, as it is counted. */
export interface Countable {
  key: string;
  itemId: string;
  /** Place among the item's variants; null for an item without any. */
  variant: number | null;
  name: string;
  detail: string | null;
  /** Stock by the books, as decimal text; null where none was kept. */
  stock: string | null;
}

export interface Count {
  itemId: string;
  variant: number | null;
  name: string;
  /** Stock by the books when it was counted: what is sold meanwhile does not change the difference that was found. */
  expected: string;
  /** What was typed; empty for not counted. */
  counted: string;
}

export type Counts = Readonly<Record<string, Count>>;

const text = (stock: number | null) => (stock === null ? null : String(stock));

/** What can be counted of an item: itself, or each of its variants; nothing of a service. */
export function countables(item: CatalogItem): Countable[] {
  if (item.type === "service") return [];
  const own = { itemId: item.id, detail: item.sku };
  if (item.variants.length === 0)
    return [{ ...own, key: item.id, variant: null, name: item.name, stock: text(item.stock) }];
  return item.variants
    .map((variant, index) => ({
      ...own,
      key: `${item.id}:${index}`,
      variant: index,
      name: `${item.name}, ${variant.name}`,
      detail: variant.sku ?? item.sku,
      stock: text(variant.stock),
      isActive: variant.isActive,
    }))
    .filter((variant) => variant.isActive);
}

/** Decimal text without more decimals than a stock has; what cannot be read stays as it was typed. */
const inScale = (typed: string) => (isDecimal(typed) ? typed.replace(/(\.\d{4})\d+$/, "$1") : typed);

/** The counts with one more; without it when nothing is typed. */
export function withCount(counts: Counts, countable: Countable, counted: string): Counts {
  const { [countable.key]: before, ...others } = counts;
  if (counted === "") return others;
  const { itemId, variant, name } = countable;
  const expected = before?.expected ?? countable.stock ?? "0";
  return { ...others, [countable.key]: { itemId, variant, name, expected, counted: inScale(counted) } };
}

/** What was counted less what the books said, exactly; null for a count that cannot be read. */
export function difference({ counted, expected }: Count): string | null {
  if (!isDecimal(counted)) return null;
  return decimalText(scaled(counted, SCALE) - scaled(expected, SCALE), SCALE);
}

export interface Difference {
  key: string;
  itemId: string;
  variant: number | null;
  name: string;
  adjustment: string;
}

/** The counts that differ from the books, of those that can be read. */
export function differences(counts: Counts): Difference[] {
  return Object.entries(counts).flatMap(([key, count]) => {
    const adjustment = difference(count);
    const { itemId, variant, name } = count;
    if (adjustment === null || scaled(adjustment, SCALE) === 0n) return [];
    return [{ key, itemId, variant, name, adjustment }];
  });
}

/** The counts that cannot be read. */
export const unreadable = (counts: Counts): Count[] =>
  Object.values(counts).filter((count) => !isDecimal(count.counted));

export function without(counts: Counts, keys: readonly string[]): Counts {
  return Object.fromEntries(Object.entries(counts).filter(([key]) => !keys.includes(key)));
}
