import { describe, expect, it } from "vitest";
import { doubtWords } from "./doubtWords";

describe("words of a doubt", () => {
  it.each([
    ["PERIOD_FILED: cuenta en 303 2026 Q2.", "cuenta en 303 2026 Q2."],
    ["taxId: it is too short", "taxId: it is too short"],
  ])("%s", (warning, words) => {
    expect(doubtWords(warning)).toBe(words);
  });
});
