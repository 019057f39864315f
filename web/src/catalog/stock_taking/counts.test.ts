import { expect, it } from "vitest";
import type { CatalogItem } from "../queries";
import {
  countables,
  difference,
  differences,
  unreadable,
  withCount,
  without,
  type Countable,
} from "./counts";

const screw: Countable = {
  key: "a",
  itemId: "a",
  variant: null,
  name: "Tornillo",
  detail: null,
  stock: "3.25",
};

const item = (fields: object) =>
  ({
    id: "a",
    name: "Camiseta",
    sku: "C",
    type: "product",
    stock: 5,
    variants: [],
    ...fields,
  }) as unknown as CatalogItem;

it("counts an item, each active variant, and no service", () => {
  const variants = [
    { name: "S", sku: null, stock: 2, isActive: true },
    { name: "M", sku: "C-M", stock: 1, isActive: false },
    { name: "L", sku: "C-L", stock: null, isActive: true },
  ];
  expect(countables(item({})).map((one) => [one.key, one.stock])).toEqual([["a", "5"]]);
  expect(countables(item({ variants })).map((one) => [one.key, one.name, one.detail, one.stock])).toEqual([
    ["a:0", "Camiseta, S", "C", "2"],
    ["a:2", "Camiseta, L", "C-L", null],
  ]);
  expect(countables(item({ type: "service" }))).toEqual([]);
});

it("finds the difference exactly", () => {
  const counts = withCount({}, screw, "3.4");
  expect(counts.a && difference(counts.a)).toBe("0.15");
  expect(differences(counts).map((count) => count.adjustment)).toEqual(["0.15"]);
  expect(differences(withCount({}, screw, "3.25"))).toEqual([]);
  expect(differences(withCount({}, screw, "3.250049"))).toEqual([]);
});

it("takes no count that cannot be read for another one", () => {
  const counts = withCount(withCount({}, screw, "1,2,3.45678"), { ...screw, key: "b", itemId: "b" }, "4");
  expect(differences(counts).map((count) => count.key)).toEqual(["b"]);
  expect(unreadable(counts).map((count) => count.counted)).toEqual(["1,2,3.45678"]);
});

it("keeps what the books said when it was counted", () => {
  const counts = withCount(withCount({}, screw, "4"), { ...screw, stock: "2" }, "5");
  expect(differences(counts).map((count) => count.adjustment)).toEqual(["1.75"]);
});

it("begins at nothing where no stock was kept, and forgets what is emptied or written", () => {
  const counts = withCount({}, { ...screw, stock: null }, "2");
  expect(differences(counts).map((count) => count.adjustment)).toEqual(["2"]);
  expect(withCount(counts, screw, "")).toEqual({});
  expect(without(counts, ["a"])).toEqual({});
});
