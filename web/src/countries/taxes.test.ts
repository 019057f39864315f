import { describe, expect, it } from "vitest";
import { generalRate, hasSurcharges, reasonName, reasonsFor, taxesOn } from "./taxes";
import { unknownCountry, type Country } from "./country";

const rate = (value: number, validFrom: string, validTo: string | null, surcharges: number[] = []) => ({
  rate: value,
  label: "tipo",
  validFrom,
  validTo,
  surcharges,
  source: "law",
});
const reason = (code: string, ...corrects: Country["correctionReasons"][number]["corrects"]) => ({
  code,
  label: `because of ${code}`,
  corrects,
});

const COUNTRY: Country = {
  ...unknownCountry("XX"),
  taxRates: [
    rate(18, "2010-07-01", "2012-08-31", [4]),
    rate(21, "2012-09-01", null, [5.2, 1.75]),
    rate(7.5, "2024-10-01", "2024-12-31"),
  ],
  exemptions: [
    { code: "A", label: "always", validFrom: null, validTo: null },
    { code: "B", label: "later", validFrom: "2020-01-01", validTo: null },
  ],
  correctionReasons: [
    reason("U1", { docType: "invoice", withDetail: null, withoutDetail: "anonymous" }),
    reason("U2", { docType: "simplified", withDetail: "named", withoutDetail: null }),
  ],
};

const values = (day: string) => taxesOn(COUNTRY, day).rates.map(({ value }) => value);

describe("the rates of a day", () => {
  it.each([
    ["2010-06-30", []],
    ["2010-07-01", ["18"]],
    ["2012-08-31", ["18"]],
    ["2012-09-01", ["21"]],
    ["2024-12-31", ["21", "7.5"]],
    ["2025-01-01", ["21"]],
  ])("%s", (day, expected) => expect(values(day)).toEqual(expected));

  it("are named", () => expect(taxesOn(COUNTRY, "2024-11-01").rates[1]?.label).toBe("7,5 % tipo"));
  it("bring the usual surcharge", () => {
    expect(taxesOn(COUNTRY, "2012-08-31").surcharges).toEqual({ "18": "4" });
    expect(taxesOn(COUNTRY, "2024-11-01").surcharges).toEqual({ "21": "5.2" });
  });
  it("tell whether the country has surcharges", () =>
    expect([COUNTRY, unknownCountry("FR")].map(hasSurcharges)).toEqual([true, false]));
  it("have the general one first", () =>
    expect([generalRate(COUNTRY, "2026-11-20"), generalRate(COUNTRY, "2000-01-01")]).toEqual(["21", ""]));
});

it("exemptions are those of the day", () => {
  const codes = (day: string) => taxesOn(COUNTRY, day).exemptions.map(({ value }) => value);
  expect([codes("2019-12-31"), codes("2020-01-01")]).toEqual([["A"], ["A", "B"]]);
});

it("a country that is not known offers nothing", () =>
  expect(taxesOn(unknownCountry("FR"), "2026-11-20")).toEqual({ rates: [], surcharges: {}, exemptions: [] }));

describe("the reasons for correcting", () => {
  it.each([
    ["invoice", null, ["U1"]],
    ["invoice", { anonymous: true }, []],
    ["invoice", { anonymous: false }, ["U1"]],
    ["simplified", null, []],
    ["simplified", { named: true }, ["U2"]],
  ] as const)("%s %o", (docType, fiscalDetails, codes) =>
    expect(reasonsFor(COUNTRY, { docType, fiscalDetails }).map(({ value }) => value)).toEqual(codes),
  );

  it("are named by their code", () => {
    expect(reasonName(COUNTRY, "U2")).toBe("U2 · because of U2");
    expect([reasonName(COUNTRY, "Z"), reasonName(undefined, "U2")]).toEqual(["Z", "U2"]);
  });
});

const SOURCES = import.meta.glob<string>(["../**/*.{ts,tsx}", "!../**/*.test.ts", "!../api/schema.d.ts"], {
  eager: true,
  query: "?raw",
  import: "default",
});

it.each([
  ["rate or code", /["'](21|5\.2|E[1-8]|R[1-5])["']|[rR]ate: [1-9]/],
  ["name of a tax", /\b(IVA|IRPF|VAT)\b/],
  ["amount of its law", /"[^"\n]*(\d ?€|€ ?\d)/],
  ["tax identifier", /\b[A-Z]\d{7}[0-9A-Z]\b/],
])("no %s of a country stands in the sources", (_, pattern) => {
  const found = Object.entries(SOURCES).filter(([, text]) => pattern.test(text));
  expect(Object.keys(SOURCES).length).toBeGreaterThan(300);
  expect(found.map(([path]) => path)).toEqual([]);
});
