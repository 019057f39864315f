import type { Say } from "../texts/define";
import type { es } from "./texts/es";

export type SayReports = Say<keyof typeof es>;

/** A value of a report: text, an amount in the account's currency, a percent or a count. */
export interface Value {
  kind: "text" | "money" | "percent" | "count";
  value: string | number | null;
  /** The list or document behind it. */
  to?: string;
}

export interface ReportTable {
  title: string;
  columns: readonly string[];
  rows: readonly (readonly Value[])[];
  foot?: readonly Value[];
}

export interface ReportChart {
  label: string;
  months: readonly string[];
  series: readonly { label: string; values: readonly number[]; color: string }[];
}

/** A report as it is drawn and as it is saved: both from the very same values. */
export interface Report {
  currency: string;
  from: string;
  to: string;
  hint: string;
  facts: readonly (readonly [string, Value])[];
  chart?: ReportChart;
  tables: readonly ReportTable[];
}

export const text = (value: string, to?: string): Value =>
  to === undefined ? { kind: "text", value } : { kind: "text", value, to };
export const money = (value: number, to?: string): Value =>
  to === undefined ? { kind: "money", value } : { kind: "money", value, to };
export const percent = (value: number | null): Value => ({ kind: "percent", value });
export const count = (value: number, to?: string): Value =>
  to === undefined ? { kind: "count", value } : { kind: "count", value, to };

export function address(path: string, query: Record<string, string>): string {
  return `${path}?${new URLSearchParams(query).toString()}`;
}
