import { expect, it } from "vitest";
import { countries } from "./countries";

it("names each country once, in the order of the names", () => {
  const labels = countries().map((one) => one.label);
  expect(new Set(labels).size).toBe(249);
  expect(labels.every((label) => label.length > 2)).toBe(true);
  expect(labels.indexOf("Alemania")).toBeLessThan(labels.indexOf("España"));
});
