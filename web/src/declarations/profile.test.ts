import { expect, it } from "vitest";
import { changesOf, draftOf } from "./profile";

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

it("keeps what the form does not show of activities", () => {
  const draft = draftOf(profile);
  const changed = changesOf({ ...draft, activity: { ...draft.activity, iae: "841" } }, profile);
  expect(changed).toEqual({
    activities: [{ ...profile.activities[0], iae: "841" }, profile.activities[1]],
  });
});
