import type { Schemas } from "../api/client";
import { percent } from "../texts/formats";
import type { Country } from "./country";

type Invoice = Pick<Schemas["Invoice"], "docType" | "fiscalDetails">;

/** A country as forms ask for it, and the day on which a document that states none is issued. */
export interface Offer {
  country: Country;
  today: string;
}

export interface Choice {
  value: string;
  label: string;
}

/** What is offered on a day. Without rates any rate may be typed. */
export interface Taxes {
  /** The general one first; values are decimal text, as `21`. */
  rates: readonly Choice[];
  /** The surcharge that goes with a rate, by the rate; none where there is none. */
  surcharges: Readonly<Record<string, string>>;
  /** The usual one first. */
  exemptions: readonly Choice[];
}

interface Period {
  validFrom: string | null;
  validTo: string | null;
}

/** Days as `2026-11-23` stand in the order of their texts. */
const isValidOn = (day: string) => (one: Period) =>
  (one.validFrom === null || one.validFrom <= day) && (one.validTo === null || day <= one.validTo);

const asChoice = ({ code, label }: { code: string; label: string }): Choice => ({
  value: code,
  label: `${code} · ${label}`,
});

export function taxesOn(country: Country, day: string): Taxes {
  const rates = country.taxRates.filter(isValidOn(day));
  const surcharges = rates.flatMap(({ rate, surcharges: [usual] }) =>
    usual === undefined ? [] : [[String(rate), String(usual)] as const],
  );
  return {
    rates: rates.map(({ rate, label }) => ({ value: String(rate), label: `${percent(rate)} ${label}` })),
    surcharges: Object.fromEntries(surcharges),
    exemptions: country.exemptions.filter(isValidOn(day)).map(asChoice),
  };
}

export const hasSurcharges = (country: Country) =>
  country.taxRates.some(({ surcharges }) => surcharges.length > 0);

/** The general rate of a day; empty where none is known. */
export function generalRate(country: Country, day: string): string {
  return taxesOn(country, day).rates[0]?.value ?? "";
}

/** Reasons for correcting an invoice, the usual one first. */
export function reasonsFor(country: Country, { docType, fiscalDetails }: Invoice): Choice[] {
  const has = (detail: string) => Boolean(fiscalDetails?.[detail]);
  return country.correctionReasons
    .filter(({ corrects }) =>
      corrects.some(
        (documents) =>
          documents.docType === docType &&
          (documents.withDetail === null || has(documents.withDetail)) &&
          (documents.withoutDetail === null || !has(documents.withoutDetail)),
      ),
    )
    .map(asChoice);
}

/** The name of a reason, whatever it corrects; the code of one that the country does not have. */
export function reasonName(country: Country | undefined, code: string): string {
  const known = country?.correctionReasons.find((reason) => reason.code === code);
  return known ? asChoice(known).label : code;
}
