import { describe, expect, it } from "vitest";
import { amountText, halfUp, minus, scaled, sum } from "./exact";
import { totalsOf, type MoneyDraft, type Totals } from "./totals";
import vectors from "./totals.test.json";

interface Vector {
  draft: MoneyDraft;
  totals: Totals;
}

it("has a thousand vectors of the server's arithmetic", () => expect(vectors).toHaveLength(1000));

it.each((vectors as Vector[]).map((vector, place) => [place, vector] as const))(
  "computes vector %i as the server does",
  (_, { draft, totals }) => expect(totalsOf(draft)).toEqual(totals),
);

describe("exact integers", () => {
  it("reads decimal text only", () => {
    expect(scaled("-12.5", 4)).toBe(-125000n);
    expect(scaled("0.50000", 2)).toBe(50n);
    for (const wrong of ["", "1,5", "1e5", ".5", "12.", "0.123"])
      expect(() => scaled(wrong, 2)).toThrow(RangeError);
  });

  it("rounds half up, away from zero", () => {
    expect([halfUp(5n, 10n), halfUp(-5n, 10n), halfUp(4n, 10n), halfUp(-14n, 10n)]).toEqual([
      1n,
      -1n,
      0n,
      -1n,
    ]);
  });

  it("writes cents and adds amounts", () => {
    expect([amountText(5n), amountText(-123456n), amountText(0n)]).toEqual(["0.05", "-1234.56", "0.00"]);
    expect(minus(0.3, "0.1")).toBe("0.20");
    expect(sum(["0.1", 0.2, "-1"])).toBe("-0.70");
  });
});
