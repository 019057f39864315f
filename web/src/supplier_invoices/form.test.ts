import { expect, it } from "vitest";
import { emptyLine, emptyPayable, typedTotals } from "./form";

const payable = (unitPrice: string, retentionRate = "") => ({
  ...emptyPayable("2026-11-24", "21"),
  lines: [{ ...emptyLine("21"), unitPrice }],
  retentionRate,
});

it("says what is typed comes to", () => expect(typedTotals(payable("100"))?.total).toBe("121.00"));

it("says no total of a number that cannot be read", () => {
  expect(typedTotals(payable("1,2,3"))).toBeNull();
  expect(typedTotals(payable("100", "15 por ciento"))).toBeNull();
});
