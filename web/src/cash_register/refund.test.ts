import { expect, it } from "vitest";
import type { Movement } from "./queries";
import { refundAmount, refundBody } from "./refund";

const line = { discount: 0, surchargeRate: null, catalogItemId: "i1", variantIndex: null };
const sale = {
  amount: 56.36,
  invoiceId: "inv",
  pricesIncludeTax: false,
  lineItems: [
    { ...line, description: "Camiseta", quantity: 3, unitPrice: 12.5, taxRate: 21 },
    { ...line, description: "Gorra", quantity: 1, unitPrice: 9.99, taxRate: 10 },
  ],
} as unknown as Movement;

it("takes everything back by the amount of the sale", () => {
  expect(refundAmount(sale, [3, 1])).toBe("56.36");
  expect(refundBody(sale, [3, 1], "cash", "Devolución")).not.toHaveProperty("lineItems");
});

it("takes units back at the price of the sale", () => {
  expect(refundAmount(sale, [1, 0])).toBe("15.13");
  const body = refundBody(sale, [1, 0], "card", "Devolución");
  expect(body).toMatchObject({ type: "refund", amount: 15.13, invoiceId: "inv", paymentMethod: "card" });
  expect(body.lineItems?.map((lineItem) => [lineItem.description, lineItem.quantity])).toEqual([
    ["Camiseta", 1],
  ]);
});

it("names the lines of a sale without an invoice, so that the goods return to the stock", () => {
  const body = refundBody({ ...sale, invoiceId: null }, [3, 1], "cash", "Devolución");
  expect(body.lineItems).toHaveLength(2);
});
