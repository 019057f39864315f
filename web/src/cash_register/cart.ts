import type { Schemas } from "../api/client";
import { amountText, cents, ifReadable } from "../money/exact";
import { totalsOf, type MoneyLine, type Totals } from "../money/totals";
import { money } from "../texts/formats";

export type Method = Schemas["Method"];
type MovementInput = Schemas["MovementInput"];
type CatalogItem = Schemas["CatalogItem"];

/** A line of the sale. Numbers are decimal text. */
export interface CartLine {
  key: string;
  name: string;
  catalogItemId: string | null;
  variantIndex: number | null;
  quantity: number;
  unitPrice: string;
  taxRate: string;
  discount: string;
}

/** A sale on its way: sent again as it is, with the same key, until there is an answer. */
export interface Attempt {
  registerId: string;
  key: string;
  body: MovementInput;
  /** Cash that the customer gave; null for other methods. */
  given: string | null;
}

export interface Cart {
  lines: CartLine[];
  pricesIncludeTax: boolean;
  attempt: Attempt | null;
}

export const EMPTY: Cart = { lines: [], pricesIncludeTax: false, attempt: null };

/** An item, or one of its variants, as a line. `otherwise` is the tax rate of items that have none. */
export function lineOf(item: CatalogItem, variantIndex: number | null, otherwise: string): CartLine {
  const variant = variantIndex === null ? undefined : item.variants[variantIndex];
  return {
    key: `${item.id}.${variantIndex ?? ""}`,
    name: variant ? `${item.name} · ${variant.name}` : item.name,
    catalogItemId: item.id,
    variantIndex,
    quantity: 1,
    unitPrice: String(variant?.unitPrice ?? item.unitPrice),
    taxRate: item.taxRate === null ? otherwise : String(item.taxRate),
    discount: "",
  };
}

/** The lines with one more: of goods that are there already, one unit more. */
export function withLine(lines: readonly CartLine[], added: CartLine): CartLine[] {
  const known = lines.find((line) => line.key === added.key);
  if (known === undefined) return [...lines, added];
  return lines.map((line) => (line === known ? { ...line, quantity: line.quantity + 1 } : line));
}

/** The lines with a quantity changed; none is left of a line at zero. */
export function withQuantity(lines: readonly CartLine[], key: string, quantity: number): CartLine[] {
  return lines
    .map((line) => (line.key === key ? { ...line, quantity } : line))
    .filter((line) => line.quantity > 0);
}

const moneyLine = ({ quantity, unitPrice, taxRate, discount }: CartLine): MoneyLine => ({
  quantity: String(quantity),
  unitPrice,
  taxRate,
  discount: discount || null,
});

export function cartTotals(lines: readonly CartLine[], pricesIncludeTax: boolean): Totals {
  return totalsOf({ lines: lines.map(moneyLine), retentionRate: "0", pricesIncludeTax });
}

/** The totals; null while a discount cannot be read. */
export function readableTotals(lines: readonly CartLine[], pricesIncludeTax: boolean): Totals | null {
  return ifReadable(() => cartTotals(lines, pricesIncludeTax));
}

/** What the customer pays for these lines, as it is shown; a dash while a discount cannot be read. */
export function shownTotal(lines: readonly CartLine[], pricesIncludeTax: boolean, currency: string): string {
  const totals = readableTotals(lines, pricesIncludeTax);
  return totals === null ? "—" : money(totals.total, currency);
}

/** What one unit of an item costs the customer. */
export function priceOf(
  item: CatalogItem,
  variantIndex: number | null,
  cart: Cart,
  otherwise: string,
): string {
  return cartTotals([lineOf(item, variantIndex, otherwise)], cart.pricesIncludeTax).total;
}

export function saleBody(cart: Cart, method: Method, description: string): MovementInput {
  return {
    type: "sale",
    amount: Number(cartTotals(cart.lines, cart.pricesIncludeTax).total),
    description,
    paymentMethod: method,
    consumerFinal: true,
    lineItems: cart.lines.map((line) => ({
      description: line.name,
      quantity: line.quantity,
      unitPrice: Number(line.unitPrice),
      taxRate: Number(line.taxRate),
      ...(line.discount ? { discount: Number(line.discount) } : {}),
      ...(line.catalogItemId ? { catalogItemId: line.catalogItemId } : {}),
      ...(line.variantIndex === null ? {} : { variantIndex: line.variantIndex }),
    })),
  };
}

/** The change due, below zero for what is missing. */
export function changeOf(given: string, total: string): string {
  return amountText(cents(given || "0") - cents(total));
}

export interface ScannedItem {
  item: CatalogItem;
  variantIndex: number | null;
}

/** The item with this barcode or sku, or the variant with this sku. */
export function withCode(items: readonly CatalogItem[], code: string): ScannedItem | null {
  const same = (text: string | null) => text !== null && text.toLowerCase() === code.toLowerCase();
  for (const item of items) {
    const variantIndex = item.variants.findIndex((variant) => variant.isActive && same(variant.sku));
    if (variantIndex >= 0) return { item, variantIndex };
    if (same(item.barcode) || same(item.sku)) return { item, variantIndex: null };
  }
  return null;
}
