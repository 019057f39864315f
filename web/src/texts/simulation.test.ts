import { afterEach, expect, it } from "vitest";
import { catalogues, forms } from "./catalogues";
import { sayIn } from "./define";
import { reportTo } from "./environment";
import { chooseLanguage, type Language } from "./language";

const SIMULATED = "_sandbox";

/** Texts that name the AEAT and are true in the simulation as they stand, by the file and key, with the reason. */
const TRUE_EVERYWHERE: Readonly<Record<string, string>> = {
  "app test": "the name of the AEAT's test service",
  "app testHint": "shown where records go to the AEAT's test service",
  "app productionHint": "shown in production",
  "app sandboxHint": "says what the simulation is",
  "app sandboxWhat": "says what the simulation is",
  "einvoice test": "the name of the AEAT's test service",
  "einvoice nothingLeaves": "says that nothing reaches it",
  "einvoice lastReported": "a question about the program used before",
  "invoices simulatedMailText": "says that nothing reaches it",
  "invoices issueAndSendText": "without e-invoicing there is no record anywhere",
  "invoices issueAndKeepText": "without e-invoicing there is no record anywhere",
  "declarations lead": "tax forms are not simulated: whoever files them does it at the AEAT",
  "declarations submitText": "tax forms are filed at the AEAT by hand",
  "declarations referenceHint": "the receipt that the AEAT gives for a form filed by hand",
  "declarations booksText": "the columns of the books are the AEAT's",
  "settings testConnection": "asks the AEAT's address whether it answers; no record goes along",
};

function lacking(language: Language): string[] {
  return catalogues(language).flatMap(([room, catalogue]) =>
    Object.entries(catalogue)
      .filter(([key, text]) => !key.endsWith(SIMULATED) && forms(text).some((one) => one.includes("AEAT")))
      .filter(([key]) => !(`${key}${SIMULATED}` in catalogue) && !(`${room} ${key}` in TRUE_EVERYWHERE))
      .map(([key]) => `${room} ${key}`),
  );
}

afterEach(() => {
  reportTo("sandbox");
  chooseLanguage("es");
});

it("finds the catalogues", () => {
  expect(catalogues("es").length).toBeGreaterThan(20);
  expect(catalogues("en").length).toBe(catalogues("es").length);
});

it.each(["es", "en"] as const)("words what names the AEAT for the simulation too, in %s", (language) => {
  expect(lacking(language)).toEqual([]);
});

it.each(["es", "en"] as const)("says in each of these texts that it is a simulation, in %s", (language) => {
  const silent = catalogues(language).flatMap(([room, catalogue]) =>
    Object.entries(catalogue)
      .filter(([key]) => key.endsWith(SIMULATED))
      .filter(([key, text]) => {
        const isOrphan = !(key.slice(0, -SIMULATED.length) in catalogue);
        const namesIt = forms(text).every((one) => /simul/i.test(one) || !one.includes("AEAT"));
        return isOrphan || !namesIt;
      })
      .map(([key]) => `${room} ${key}`),
  );
  expect(silent).toEqual([]);
});

it("keeps no exception for a text that is gone", () => {
  const named = new Set(
    catalogues("es").flatMap(([room, catalogue]) => Object.keys(catalogue).map((key) => `${room} ${key}`)),
  );
  expect(Object.keys(TRUE_EVERYWHERE).filter((one) => !named.has(one))).toEqual([]);
});

it("chooses the words by the environment of the server", () => {
  const say = sayIn({
    es: { accepted: "Aceptada por la AEAT", accepted_sandbox: "Aceptada (simulación)", paid: "Cobrada" },
    en: { accepted: "Accepted by the AEAT", accepted_sandbox: "Accepted (simulation)", paid: "Paid" },
  });
  expect([say("accepted"), say("paid")]).toEqual(["Aceptada (simulación)", "Cobrada"]);
  reportTo("production");
  expect([say("accepted"), say("paid")]).toEqual(["Aceptada por la AEAT", "Cobrada"]);
  chooseLanguage("en");
  reportTo("sandbox");
  expect(say("accepted")).toBe("Accepted (simulation)");
});
