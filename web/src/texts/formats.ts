import { language } from "./language";

/** Amounts come as exact decimals of at most 15 digits: a JSON number prints as it was written. */
export type Amount = number | string;

const LOCALES = { es: "es-ES", en: "en-GB" } as const;

const locale = () => LOCALES[language()];

/** `1234.5` as `1.234,50 €`. */
export function money(amount: Amount, currency = "EUR"): string {
  return new Intl.NumberFormat(locale(), { style: "currency", currency, useGrouping: "always" }).format(
    Number(amount),
  );
}

/** The sign of a currency, as it stands behind the field of an amount: `EUR` is `€`. */
export function currencySign(currency: string): string {
  const parts = new Intl.NumberFormat(locale(), { style: "currency", currency }).formatToParts(0);
  return parts.find((part) => part.type === "currency")?.value ?? currency;
}

/** A quantity or a price per unit: as many decimals as it has, at least `atLeast`, at most eight. */
export function decimal(amount: Amount, atLeast = 0): string {
  return new Intl.NumberFormat(locale(), {
    minimumFractionDigits: atLeast,
    maximumFractionDigits: 8,
    useGrouping: "always",
  }).format(Number(amount));
}

/** `21` as `21 %`. */
export function percent(rate: Amount): string {
  return `${decimal(rate)} %`;
}

/** `ES` as `España`; what is no country's code stays as it is. */
export function country(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code;
  return new Intl.DisplayNames([locale()], { type: "region" }).of(code) ?? code;
}

/** The decimal text of what somebody typed (`1.234,56` or `1234.56`), null for anything else. */
export function parsedDecimal(typed: string): string | null {
  const compact = typed.replace(/^[\s€]+|[\s€%]+$/g, "").replace(/(?<=\d)\s(?=\d{3}(\D|$))/g, "");
  const spanish = /^-?(\d{1,3}(\.\d{3})+|\d+)(,\d*)?$/;
  const english = /^-?(\d{1,3}(,\d{3})+|\d*)(\.\d+)?$/;
  const [first, second] = language() === "es" ? [spanish, english] : [english, spanish];
  const chosen = [first, second].find((form) => form?.test(compact));
  if (compact === "" || chosen === undefined) return null;
  const plain =
    chosen === spanish ? compact.replaceAll(".", "").replace(",", ".") : compact.replaceAll(",", "");
  return /\d/.test(plain) ? plain.replace(/^(-?)\./, "$10.").replace(/\.$/, "") : null;
}

/** A decimal as somebody types it in the language of the interface: `1234.5` as `1234,5`. */
export function typedDecimal(amount: Amount | null | undefined): string {
  if (amount === null || amount === undefined || amount === "") return "";
  const text = String(amount);
  return language() === "es" ? text.replace(".", ",") : text;
}

/** A calendar day, `2026-11-23`, as `23 nov 2026`. */
export function day(date: string | null | undefined): string {
  if (!date) return "";
  const moment = new Date(`${date.slice(0, 10)}T00:00:00Z`);
  return new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeZone: "UTC" }).format(moment);
}

/** A calendar day, or only a month: `2028-10` as `octubre de 2028`. */
export function dayOrMonth(date: string): string {
  if (date.length > 7) return day(date);
  const first = new Date(`${date}-01T00:00:00Z`);
  return new Intl.DateTimeFormat(locale(), { month: "long", year: "numeric", timeZone: "UTC" }).format(first);
}

/** A moment in the account's time zone. */
export function moment(timestamp: string | null | undefined, timeZone = "Europe/Madrid"): string {
  if (!timestamp) return "";
  const options = { dateStyle: "medium", timeStyle: "short", timeZone } as const;
  return new Intl.DateTimeFormat(locale(), options).format(new Date(timestamp));
}

/** Today in the account's time zone, `2026-11-23`. */
export function today(timeZone = "Europe/Madrid"): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone }).format(new Date());
}

/** Days from one day to another; below zero to an earlier one. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000;
}

/** A day some days later (or earlier, below zero). */
export function daysLater(date: string, days: number): string {
  const moved = new Date(`${date}T00:00:00Z`);
  moved.setUTCDate(moved.getUTCDate() + days);
  return moved.toISOString().slice(0, 10);
}
