import { describe, expect, it } from "vitest";
import type { Schemas } from "../api/client";
import { cartTotals, changeOf, EMPTY, lineOf, saleBody, withCode, withLine, withQuantity } from "./cart";
import { countedCents } from "./coins";

const item = {
  id: "i1",
  name: "Camiseta",
  sku: "CAM",
  barcode: "8412345678905",
  unitPrice: 12.5,
  taxRate: 21,
  variants: [],
} as unknown as Schemas["CatalogItem"];
const varied = {
  ...item,
  id: "i2",
  name: "Gorra",
  sku: null,
  barcode: null,
  taxRate: null,
  variants: [
    { name: "S", sku: "G-S", isActive: false, unitPrice: null },
    { name: "M", sku: "G-M", isActive: true, unitPrice: 9.99 },
  ],
} as unknown as Schemas["CatalogItem"];

describe("a sale", () => {
  it("adds up the same goods, and loses a line at zero", () => {
    const line = lineOf(item, null, "21");
    const lines = withLine(withLine([], line), line);
    expect(lines.map((line) => line.quantity)).toEqual([2]);
    expect(withQuantity(lines, line.key, 0)).toEqual([]);
  });

  it("reckons as the server does, with the tax on top or in the prices", () => {
    const lines = [{ ...lineOf(item, null, "21"), quantity: 3 }, lineOf(varied, 1, "10")];
    expect(cartTotals(lines, false).total).toBe("56.37");
    expect(cartTotals(lines, true).total).toBe("47.49");
  });

  it("is sent with all that was shown", () => {
    const cart = { ...EMPTY, lines: [{ ...lineOf(varied, 1, "10"), discount: "50" }] };
    expect(saleBody(cart, "card", "Venta")).toEqual({
      type: "sale",
      amount: 5.5,
      description: "Venta",
      paymentMethod: "card",
      consumerFinal: true,
      lineItems: [
        {
          description: "Gorra · M",
          quantity: 1,
          unitPrice: 9.99,
          taxRate: 10,
          discount: 50,
          catalogItemId: "i2",
          variantIndex: 1,
        },
      ],
    });
  });
});

it("finds goods by barcode, sku and the sku of a variant on sale", () => {
  expect(withCode([varied, item], "8412345678905")).toEqual({ item, variantIndex: null });
  expect(withCode([varied, item], "cam")).toEqual({ item, variantIndex: null });
  expect(withCode([varied, item], "G-M")).toEqual({ item: varied, variantIndex: 1 });
  expect(withCode([varied, item], "G-S")).toBeNull();
});

it("gives change to the cent", () => {
  expect(changeOf("50", "45.38")).toBe("4.62");
  expect(changeOf("", "0.10")).toBe("-0.10");
});

it("counts the drawer", () => {
  expect(countedCents({ 5000: "2", 10: "3", 1: "7", 200: "" })).toBe(10_037n);
  expect(() => countedCents({ 5000: "2", 200: "3a" })).toThrow(RangeError);
});
