import { beforeEach, expect, it } from "vitest";
import { chooseLanguage } from "../texts/language";
import { csvOf } from "./csv";
import { money, percent, text, type Report } from "./report";

const report: Report = {
  currency: "EUR",
  from: "2026-01-01",
  to: "2026-12-31",
  hint: "",
  facts: [["Margen", percent(12.5)]],
  tables: [
    {
      title: "Por cliente",
      columns: ["Cliente", "Importe"],
      rows: [
        [text('=HYPERLINK("http://x")'), money(-1234.5)],
        [text("-2+3; @SUM"), money(0.1)],
        [text("Sur, S.L."), money(7)],
      ],
    },
  ],
};

beforeEach(() => chooseLanguage("es"));

it("writes numbers as the country's spreadsheets read them", () => {
  const lines = csvOf(report).split("\r\n");
  expect(lines[0]).toBe("\ufeffMargen;12,5");
  expect(lines).toContain("Sur, S.L.;7");
});

it("neutralises formulas and leaves negative amounts as numbers", () => {
  const csv = csvOf(report);
  expect(csv).toContain(`"'=HYPERLINK(""http://x"")";-1234,5`);
  expect(csv).toContain(`"'-2+3; @SUM";0,1`);
});

it("separates by commas in English", () => {
  chooseLanguage("en");
  expect(csvOf(report)).toContain('"Sur, S.L.",7');
});
