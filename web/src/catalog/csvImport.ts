import { api, take, takeDryRun, type Schemas } from "../api/client";
import { keyed } from "../api/actions";
import type { CsvRow } from "./csv";

const ROWS_OF_A_REQUEST = 500;

type ImportResult = Schemas["ImportResult"];

export interface ImportInput {
  rows: readonly CsvRow[];
  isDryRun: boolean;
}

/** The row of the file that an error names, counted over all requests: `fila 3: …` of the second is row 503. */
function inTheFile(error: string, before: number): string {
  return error.replace(/\d+/, (number) => String(Number(number) + before));
}

function send(rows: readonly CsvRow[], isDryRun: boolean, key: string): Promise<ImportResult> {
  const body = { rows: rows as Schemas["ImportRows"]["rows"] }; // any fields: the server names those it does not take
  if (!isDryRun) return take(api.POST("/api/catalog/import", { headers: keyed(key), body }));
  return takeDryRun(api.POST("/api/catalog/import", { headers: { "Dry-Run": "true" }, body }));
}

/** Import rows in requests of 500, or try it out; each request has a key of its own, made of the intent's. */
export async function importRows(
  { rows, isDryRun }: ImportInput,
  key: string,
  onProgress: (done: number) => void,
): Promise<ImportResult> {
  const sum: ImportResult = { imported: 0, errors: [], warnings: [] };
  for (let start = 0; start < rows.length; start += ROWS_OF_A_REQUEST) {
    onProgress(start);
    const part = rows.slice(start, start + ROWS_OF_A_REQUEST);
    const result = await send(part, isDryRun, `${key}-${start}`);
    sum.imported += result.imported;
    sum.errors.push(...result.errors.map((error) => inTheFile(error, start)));
    sum.warnings = [...new Set([...sum.warnings, ...result.warnings])];
  }
  return sum;
}
