import { expect, it } from "vitest";
import { asForm, asInput, provinceOf } from "./form";

it.each([
  ["01001", "Álava"],
  ["28013", "Madrid"],
  ["48001", "Bizkaia"],
  ["52001", "Melilla"],
  ["53001", null],
  ["00123", null],
  ["2801", null],
  ["SW1A1", null],
])("knows the province of %s", (code, province) => expect(provinceOf(code)).toBe(province));

it("sends null for what is empty and numbers as numbers", () => {
  const sent = asInput({ ...asForm(null), name: " Ana ", defaultRetentionRate: "15" });
  expect(sent).toMatchObject({ name: "Ana", taxId: null, defaultTaxRate: null, defaultRetentionRate: 15 });
});
