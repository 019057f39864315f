import { expect, it } from "vitest";
import { differenceOf, goneSince, isWarning, readSummary } from "./summary";

const SERVERS = import.meta.glob<string>("../../../src/ledgerkit/texts/{es,en,ca}.po", {
  eager: true,
  query: "?raw",
  import: "default",
});

const texts = (ids: RegExp) =>
  Object.values(SERVERS).flatMap((text) =>
    [...text.matchAll(/^msgid "(.+)"\nmsgstr "(.*)"$/gm)]
      .filter(([, id = ""]) => ids.test(id))
      .map(([, , words = ""]) => words),
  );

it("reads effect, facts and the last sentence", () => {
  const lines = ["Crear el cliente Norte.", "Total: 1.452,00 EUR", "A: b: c", "No se puede deshacer: nunca."];
  expect(readSummary(lines)).toEqual({
    effect: "Crear el cliente Norte.",
    facts: [
      { label: "Total", value: "1.452,00 EUR" },
      { label: "A", value: "b: c" },
    ],
    afterwards: "No se puede deshacer: nunca.",
  });
});

it("takes every sentence of the server about afterwards for one", () => {
  const sentences = texts(/^ask\.(after_|final)/);
  expect(sentences.length).toBeGreaterThan(30);
  for (const sentence of sentences) expect(readSummary(["", sentence]).afterwards).toBe(sentence);
});

it.each(["name: Talleres Norte, S.L.", "Cliente: Norte, S.L.", "Vencimiento: 28 de diciembre de 2026"])(
  "takes %s for a fact",
  (line) => expect(readSummary(["", line]).facts).toHaveLength(1),
);

it("knows what the server calls a warning", () => {
  const labels = texts(/^ask\.(doubt|attention)$/);
  expect(labels.length).toBeGreaterThan(3);
  for (const label of labels) expect(isWarning({ label, value: "" })).toBe(true);
});

it("tells what differs", () => {
  const before = readSummary(["x", "Total: 10", "Fecha: hoy"]).facts;
  const now = readSummary(["x", "Total: 12", "Nota: nueva"]).facts;
  expect(now.map((fact) => differenceOf(fact, before))).toEqual([{ was: "10" }, { was: null }]);
  expect(goneSince(before, now)).toEqual([{ label: "Fecha", value: "hoy" }]);
});
