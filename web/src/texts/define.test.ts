import { afterEach, expect, it } from "vitest";
import { filled, sayIn } from "./define";
import { chooseLanguage } from "./language";

afterEach(() => chooseLanguage("es"));

it("fills the places of a text and leaves text as it is", () => {
  expect(filled("Para {name}", { name: "<b>{x}</b>" }, "es")).toBe("Para <b>{x}</b>");
  expect(filled("{missing}", {}, "es")).toBe("{missing}");
});

it("names a tax in the country's word, with a capital letter at the beginning", () => {
  const words = { tax: "levy" };
  expect(filled("{tax} {rate}, {tax} included", { rate: "8 %" }, "en", words)).toBe(
    "Levy 8 %, levy included",
  );
  expect(filled("{tax}", { tax: "toll" }, "en", words)).toBe("toll");
});

it("chooses the form by number", () => {
  const text = { one: "{count} factura", other: "{count} facturas" };
  expect(filled(text, { count: 1 }, "es")).toBe("1 factura");
  expect(filled(text, { count: 0 }, "es")).toBe("0 facturas");
});

it("speaks the chosen language", () => {
  const say = sayIn({ es: { title: "Facturas" }, en: { title: "Invoices" } });
  expect(say("title")).toBe("Facturas");
  chooseLanguage("en");
  expect(say("title")).toBe("Invoices");
});
