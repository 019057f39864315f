/** A span of days, both included. */
export interface Span {
  from: string;
  to: string;
}

export type Preset = "thisMonth" | "lastMonth" | "thisQuarter" | "lastQuarter" | "thisYear" | "lastYear";

export const PRESETS: readonly Preset[] = [
  "thisMonth",
  "lastMonth",
  "thisQuarter",
  "lastQuarter",
  "thisYear",
  "lastYear",
];

function span(year: number, firstMonth: number, months: number): Span {
  const day = (moment: number) => new Date(moment).toISOString().slice(0, 10);
  return { from: day(Date.UTC(year, firstMonth, 1)), to: day(Date.UTC(year, firstMonth + months, 0)) };
}

/** The days of a named period, by the day of today: `spanOf("lastMonth", "2026-11-23")`. */
export function spanOf(preset: Preset, today: string): Span {
  const year = Number(today.slice(0, 4));
  const month = Number(today.slice(5, 7)) - 1;
  const quarter = month - (month % 3);
  const spans: Record<Preset, Span> = {
    thisMonth: span(year, month, 1),
    lastMonth: span(year, month - 1, 1),
    thisQuarter: span(year, quarter, 3),
    lastQuarter: span(year, quarter - 3, 3),
    thisYear: span(year, 0, 12),
    lastYear: span(year - 1, 0, 12),
  };
  return spans[preset];
}

/** The quarter, from 1 to 4, of a day. */
export function quarterOf(day: string): number {
  return Math.floor((Number(day.slice(5, 7)) - 1) / 3) + 1;
}

/** The days of a month, `2026-11`. */
export function monthSpan(month: string): Span {
  return span(Number(month.slice(0, 4)), Number(month.slice(5, 7)) - 1, 1);
}
