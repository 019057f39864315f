import { language } from "../texts/language";
import type { Report, Value } from "./report";

const RISKY = /^[=+\-@\t\r]/;

/** Text for a spreadsheet: what it would take for a formula begins with an apostrophe. */
function harmless(text: string): string {
  return RISKY.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  const isPlain = !text.includes(separator()) && !/["\r\n]/.test(text);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

const separator = () => (language() === "es" ? ";" : ",");

function cell({ kind, value }: Value): string {
  if (value === null) return "";
  if (kind === "text") return quoted(harmless(String(value)));
  return language() === "es" ? String(value).replace(".", ",") : String(value);
}

function line(cells: readonly string[]): string {
  return cells.join(separator());
}

/** The values of a report as a CSV file, in the notation of the interface's language. */
export function csvOf(report: Report): string {
  const label = (word: string) => quoted(harmless(word));
  const facts = report.facts.map(([name, value]) => line([label(name), cell(value)]));
  const tables = report.tables.flatMap((table) => [
    "",
    label(table.title),
    line(table.columns.map(label)),
    ...table.rows.map((row) => line(row.map(cell))),
    ...(table.foot ? [line(table.foot.map(cell))] : []),
  ]);
  return `\ufeff${[...facts, ...tables].join("\r\n")}\r\n`;
}
