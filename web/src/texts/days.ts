import { language } from "./language";

const LOCALES = { es: "es-ES", en: "en-GB" } as const;
const A_DAY = 86_400_000;

/** Whole days from one calendar day to another: `daysUntil("2026-11-25", "2026-11-23")` is 2, below zero once past. */
export function daysUntil(date: string, from: string): number {
  return Math.round((Date.parse(`${date.slice(0, 10)}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / A_DAY);
}

/** A quarter's number as it stands beside its word: `1.er` and `3.er` (trimestre) in Spanish, the figure in English. */
export function quarterNumber(quarter: string | number): string {
  if (language() === "en") return String(quarter);
  return ["1", "3"].includes(String(quarter)) ? `${quarter}.er` : `${quarter}.º`;
}

/** `2026-11` as `noviembre de 2026`, or short, as `nov 26`. */
export function monthName(month: string, length: "long" | "short" = "long"): string {
  const options =
    length === "long"
      ? ({ month: "long", year: "numeric" } as const)
      : ({ month: "short", year: "2-digit" } as const);
  return new Intl.DateTimeFormat(LOCALES[language()], { ...options, timeZone: "UTC" }).format(
    new Date(`${month}-01T00:00:00Z`),
  );
}
