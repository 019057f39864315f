import { describe, expect, it } from "vitest";
import { doubtWords } from "./doubtWords";

describe("words of a doubt", () => {
  it.each([
    ["FOREIGN_VAT_DEDUCTED: Berlin GmbH es de DE. [deductiblePercent 0 / intraEu]", "Berlin GmbH es de DE."],
    ["PERIOD_FILED: cuenta en 303 2026 Q2.", "cuenta en 303 2026 Q2."],
    ["Berlin [GmbH] es de DE", "Berlin [GmbH] es de DE"],
    ["taxId: it is too short", "taxId: it is too short"],
  ])("%s", (warning, words) => {
    expect(doubtWords(warning)).toBe(words);
  });
});
