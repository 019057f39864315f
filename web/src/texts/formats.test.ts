import { beforeEach, describe, expect, it } from "vitest";
import { day, daysBetween, daysLater, decimal, money, parsedDecimal, typedDecimal } from "./formats";
import { chooseLanguage } from "./language";

describe("in Spanish", () => {
  beforeEach(() => chooseLanguage("es"));

  it.each([
    ["1.234,56", "1234.56"],
    ["1234,5", "1234.5"],
    ["1234.56", "1234.56"],
    ["1.234", "1234"],
    ["-3", "-3"],
    ["12,", "12"],
    ["1.234.567,89 €", "1234567.89"],
    ["0,07", "0.07"],
    ["€ 1 234,50", "1234.50"],
    ["21 %", "21"],
  ])("reads %s", (typed, value) => expect(parsedDecimal(typed)).toBe(value));

  it.each(["", "doce", "1,2,3", "12..50", "30 días", "1.250,5o", "12 50", "1.23.4", "--1", "1e5", "."])(
    "refuses %s",
    (typed) => expect(parsedDecimal(typed)).toBeNull(),
  );

  it("writes amounts as the country does", () => {
    expect(money(1234.5)).toBe("1.234,50\u00a0€");
    expect(decimal("0.125")).toBe("0,125");
    expect(typedDecimal(12.5)).toBe("12,5");
  });

  it("writes days", () => {
    expect(day("2026-11-23")).toBe("23 nov 2026");
    expect(daysLater("2026-02-27", 2)).toBe("2026-03-01");
    expect(daysBetween("2026-02-27", "2026-03-01")).toBe(2);
  });
});

describe("in English", () => {
  beforeEach(() => chooseLanguage("en"));

  it.each([
    ["1,234.56", "1234.56"],
    ["1,234", "1234"],
    [".5", "0.5"],
    ["1234,56", "1234.56"],
  ])("reads %s", (typed, value) => expect(parsedDecimal(typed)).toBe(value));
});
