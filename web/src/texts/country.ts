import { createContext, use } from "react";
import type { Schemas } from "../api/client";
import type { Language } from "./language";

type Hints = Partial<Record<Schemas["HintedField"], string>>;
type TaxWords = Schemas["CountryTaxWords"];

/** What the team's country says in texts and beside fields; null before the server's answer. */
export const CountryTexts = createContext<{ taxWords: TaxWords | null; hints: Hints } | null>(null);

const NO_HINTS: Hints = {};
const TAXES_IN_GENERAL: Readonly<Record<Language, TaxWords>> = {
  es: { tax: "impuesto", incomeTax: "impuesto sobre la renta", retention: "retención" },
  en: { tax: "tax", incomeTax: "income tax", retention: "retention" },
};

/** Names of the country's taxes: each fills its place, as `{tax}`, in any text. */
export function useTaxWords(spoken: Language): TaxWords {
  return use(CountryTexts)?.taxWords ?? TAXES_IN_GENERAL[spoken];
}

/** The country's hints beside fields of forms, by the field. */
export function useHints(): Hints {
  return use(CountryTexts)?.hints ?? NO_HINTS;
}
