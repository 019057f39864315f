import { expect, it } from "vitest";
import { monthSpan, quarterOf, spanOf } from "./periods";

it.each([
  ["thisMonth", "2026-02-23", "2026-02-01", "2026-02-28"],
  ["lastMonth", "2026-01-10", "2025-12-01", "2025-12-31"],
  ["thisQuarter", "2026-11-23", "2026-10-01", "2026-12-31"],
  ["lastQuarter", "2026-02-01", "2025-10-01", "2025-12-31"],
  ["thisYear", "2026-11-23", "2026-01-01", "2026-12-31"],
  ["lastYear", "2026-11-23", "2025-01-01", "2025-12-31"],
] as const)("knows the days of %s on %s", (preset, today, from, to) => {
  expect(spanOf(preset, today)).toEqual({ from, to });
});

it("knows quarters and months", () => {
  expect(quarterOf("2026-11-23")).toBe(4);
  expect(monthSpan("2028-02")).toEqual({ from: "2028-02-01", to: "2028-02-29" });
});
