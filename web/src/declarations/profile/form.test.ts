import { expect, it } from "vitest";
import { changesOf, draftOf } from "./form";

const profile = {
  person: "natural_person",
  estimation: "simplified",
  lastYearNetIncome: null,
  prorrata: "none",
  provisionalPercent: null,
  filing: "quarterly",
  withholdingDate: "payment",
  declaresWithheldSales: true,
  activities: [
    { kind: "A05", iae: "844", cnae: null, description: "DISEÑO", since: "2020-01-01", until: "2030-01-01" },
    { kind: "A03", iae: "653", cnae: null, description: "TIENDA", since: null, until: null },
  ],
};

it("sends nothing where nothing was changed", () => {
  expect(changesOf(draftOf(profile), profile)).toEqual({});
});

it("sends amounts as numbers", () => {
  const draft = {
    ...draftOf(profile),
    lastYearNetIncome: "12000.50",
    prorrata: "general",
    provisionalPercent: "80",
  };
  expect(changesOf(draft, profile)).toEqual({
    lastYearNetIncome: 12000.5,
    prorrata: "general",
    provisionalPercent: 80,
  });
});

it("sends a list whole where one of its entries was changed, without what is empty", () => {
  const draft = draftOf(profile);
  const [main = {}, ...others] = draft.activities;
  const changed = changesOf({ ...draft, activities: [{ ...main, iae: "841" }, ...others] }, profile);
  expect(changed).toEqual({
    activities: [
      { kind: "A05", iae: "841", description: "DISEÑO", since: "2020-01-01", until: "2030-01-01" },
      { kind: "A03", iae: "653", description: "TIENDA" },
    ],
  });
});

it("sends what a change of the census states, in its types", () => {
  const row = { since: "2026-07-01", prorrata: "general", provisionalPercent: "80", cashAccounting: "false" };
  expect(changesOf({ ...draftOf(profile), censusChanges: [row] }, profile)).toEqual({
    censusChanges: [
      { since: "2026-07-01", prorrata: "general", provisionalPercent: 80, cashAccounting: false },
    ],
  });
});

it("keeps what a change of the census states not to be known", () => {
  const change = { since: "2026-07-01", lastYearNetIncome: null, filing: "monthly" };
  const stored = { ...profile, censusChanges: [change] };
  const draft = draftOf(stored);
  expect(changesOf(draft, stored)).toEqual({});
  const [row = {}] = draft.censusChanges;
  expect(changesOf({ ...draft, censusChanges: [{ ...row, since: "2026-08-01" }] }, stored)).toEqual({
    censusChanges: [{ ...change, since: "2026-08-01" }],
  });
});

it("sends the contact as one entry, and the year of birth of an employee as a number", () => {
  const contact = { surnames: "Ruiz Gil", firstName: "Ana", phone: "600000000" };
  const employee = { taxId: "00000001R", birthYear: "1990", familySituation: "3", contract: "1" };
  expect(changesOf({ ...draftOf(profile), contact: [contact], employees: [employee] }, profile)).toEqual({
    contact,
    employees: [{ ...employee, birthYear: 1990 }],
  });
});

it("takes the bank abroad out with null", () => {
  const swift = { swift: "DEUTDEFF", name: "Bank", address: "Weg 1", city: "Berlin", country: "DE" };
  const stored = { ...profile, bankAbroad: swift };
  expect(draftOf(stored).bankAbroad).toEqual([swift]);
  expect(changesOf({ ...draftOf(stored), bankAbroad: [] }, stored)).toEqual({ bankAbroad: null });
});
