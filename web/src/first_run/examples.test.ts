import { expect, it } from "vitest";
import { unknownCountry, type Country } from "../countries/country";
import { sayIn } from "../texts/define";
import { examples } from "./examples";
import { en } from "./texts/en";
import { es } from "./texts/es";

const rate = (value: number) => ({
  rate: value,
  label: "levy",
  validFrom: "2000-01-01",
  validTo: null,
  surcharges: [],
  source: "law",
});
const COUNTRY: Country = {
  ...unknownCountry("XX"),
  taxRates: [rate(8), rate(3)],
  exampleClients: [{ name: "Mill", taxId: "X1", postalCode: null, city: "Veta", province: null }],
};

const made = (country: Country, isIssued = true) =>
  examples({ offer: { country, today: "2026-11-20" }, say: sayIn({ es, en }), isIssued });

it("examples are taxed at the country's general rate, a journey at the next", () => {
  const { items, invoices, expenses } = made(COUNTRY);
  expect(new Set(items.map(({ taxRate }) => taxRate))).toEqual(new Set([8]));
  expect(invoices.map(({ body }) => body.items?.[0]?.taxRate)).toEqual([8, 8, 8, 8]);
  expect(expenses.map(({ taxRate }) => taxRate)).toEqual([8, 8, 3]);
});

it("clients are the country's, with a tax id where invoices are issued", () => {
  const { clients, invoices, tasks } = made(COUNTRY);
  expect(clients).toMatchObject([{ name: "Mill (ejemplo)", taxId: "X1", city: "Veta", notes: "Ejemplo" }]);
  expect(invoices.map(({ of }) => of)).toEqual([0, 0, 0, 0]);
  expect(tasks[0]?.title).toBe("Llamar a Mill (ejemplo)");
  expect(made(COUNTRY, false).clients[0]?.taxId).toBeNull();
});

it("a country that gives no clients and rates has examples without tax", () => {
  const { clients, items } = made(unknownCountry("FR"));
  expect(clients.map(({ name }) => name)).toEqual([
    "Cliente 1 (ejemplo)",
    "Cliente 2 (ejemplo)",
    "Cliente 3 (ejemplo)",
  ]);
  expect(items[0]?.taxRate).toBe(0);
});
