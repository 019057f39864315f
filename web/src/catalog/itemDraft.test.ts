import { expect, it } from "vitest";
import { attributesOf, attributesText, draftOf, emptyItem, inputOf, newVariant } from "./itemDraft";
import type { CatalogItem } from "./queries";

const item = {
  type: "product",
  name: "Camiseta",
  sku: "CAM-1",
  unitPrice: 12.5,
  taxRate: 21,
  stock: 7,
  variants: [{ name: "S", sku: null, attributes: { talla: "S" }, unitPrice: null, stock: 7, isActive: true }],
  barcode: null,
  description: null,
  category: null,
  unit: null,
  cost: null,
  lowStockThreshold: null,
} as unknown as CatalogItem;

it("sends a stock only where it was typed anew", () => {
  const draft = draftOf(item);
  expect(inputOf(draft, item).variants).toEqual([
    { name: "S", sku: null, attributes: { talla: "S" }, unitPrice: null, isActive: true },
  ]);
  const [first] = draft.variants;
  const counted = {
    ...draft,
    variants: first
      ? [
          { ...first, stock: "9" },
          { ...newVariant(), name: "M" },
        ]
      : [],
  };
  expect(inputOf(counted, item).variants?.map((variant) => variant.stock)).toEqual([9, null]);
  expect(inputOf(counted, item)).not.toHaveProperty("stock");
});

it("sends empty fields as none", () => {
  const input = inputOf({ ...emptyItem(), name: "Envío", type: "service" }, null);
  expect(input).toMatchObject({ name: "Envío", sku: null, taxRate: null, unitPrice: 0, stock: null });
});

it("reads attributes as they are written", () => {
  expect(attributesOf(" talla = M, color=azul,, ")).toEqual({ talla: "M", color: "azul" });
  expect(attributesText({ talla: "M", color: "azul" })).toBe("talla=M, color=azul");
});
