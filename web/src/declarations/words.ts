import type { Say } from "../texts/define";
import { monthName, quarterNumber } from "../texts/days";
import type { es } from "./texts/es";

export type SayTax = Say<keyof typeof es>;

/** `Q3`, `M05` or `Y` of a year, in words. */
export function periodName(period: string, year: number, say: SayTax): string {
  if (period.startsWith("Q")) return say("quarter", { number: quarterNumber(period.slice(1)), year });
  if (period.startsWith("M")) return monthName(`${year}-${period.slice(1)}`);
  return say("wholeYear", { year });
}
