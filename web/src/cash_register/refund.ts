import type { Schemas } from "../api/client";
import { totalsOf } from "../money/totals";
import type { Method } from "./cart";
import type { Movement } from "./queries";

type MovementInput = Schemas["MovementInput"];

/** Units of each line that come back, by the line's place. */
export type Returned = readonly number[];

const linesOf = (sale: Movement, returned: Returned) =>
  sale.lineItems
    .map((line, place) => ({ ...line, quantity: returned[place] ?? 0 }))
    .filter((line) => line.quantity > 0);

const isAll = (sale: Movement, returned: Returned) =>
  sale.lineItems.every((line, place) => returned[place] === line.quantity);

/** What the customer gets back for these units, reckoned as the sale was. */
export function refundAmount(sale: Movement, returned: Returned): string {
  if (isAll(sale, returned)) return String(sale.amount);
  const lines = linesOf(sale, returned).map((line) => ({
    quantity: String(line.quantity),
    unitPrice: String(line.unitPrice),
    taxRate: String(line.taxRate),
    discount: String(line.discount),
    surchargeRate: line.surchargeRate === null ? null : String(line.surchargeRate),
  }));
  return totalsOf({ lines, retentionRate: "0", pricesIncludeTax: sale.pricesIncludeTax }).total;
}

/** A refund of these units; of everything that an invoice says, its credit note takes all that is left. */
export function refundBody(
  sale: Movement,
  returned: Returned,
  method: Method,
  description: string,
): MovementInput {
  const body: MovementInput = {
    type: "refund",
    amount: Number(refundAmount(sale, returned)),
    description,
    paymentMethod: method,
    ...(sale.invoiceId ? { invoiceId: sale.invoiceId } : {}),
  };
  if (isAll(sale, returned) && (sale.invoiceId || sale.lineItems.length === 0)) return body;
  const lineItems = linesOf(sale, returned).map((line) => ({
    description: line.description,
    quantity: line.quantity,
    unitPrice: line.unitPrice,
    taxRate: line.taxRate,
    discount: line.discount,
    catalogItemId: line.catalogItemId,
    variantIndex: line.variantIndex,
  }));
  return { ...body, lineItems };
}
