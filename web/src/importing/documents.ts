import { keyed } from "../api/actions";
import { api, take, type Schemas } from "../api/client";

export type Imported = Schemas["DocumentsImported"];

/** Lists that take documents of other software. */
export type ImportPath = "/api/invoices/import" | "/api/supplier-invoices/import";

export interface ChosenFile {
  file: File;
  /** Tells files apart, so that each has an idempotency key of its own. */
  stamp: string;
}

export const chosenFile = (file: File): ChosenFile => ({
  file,
  stamp: `${file.name} ${file.size} ${file.lastModified}`,
});

/** Send a file; a trial answers the same and stores nothing. */
export function sendDocuments(
  path: ImportPath,
  { file }: ChosenFile,
  dryRun: boolean,
  key: string,
): Promise<Imported> {
  const isJson = file.name.toLowerCase().endsWith(".json");
  // The bytes go as they are: a CSV may be in Windows Latin-1, which the server reads.
  return take(
    api.POST(path, {
      params: { query: { dryRun } },
      body: file as unknown as string,
      bodySerializer: (body) => body as unknown as Blob,
      headers: { ...keyed(key), "Content-Type": isJson ? "application/json" : "text/csv" },
    }),
  );
}
