import type { Schemas } from "../../api/client";

export type Analysis = Schemas["SupplierInvoiceAnalysis"];
export type AnalysedItem = Schemas["AnalysedItem"];
export type Action = "create" | "update" | "skip";

/** What happens to a line unless somebody decides otherwise: as the server has it. */
export function suggested(item: AnalysedItem): Action {
  return item.suggestedAction ?? (item.matchedItemId ? "update" : "create");
}

/**
 * What happens to a line with the answer to its question: `no` makes a new item of one that would be updated, and
 * nothing of one that would be created. Source: docs/catalog.md, "Supplier invoices".
 */
export function actionWith(item: AnalysedItem, answers: readonly string[]): Action {
  const action = suggested(item);
  const answer = item.question === null || item.question === undefined ? "" : answers[item.question];
  if (answer !== "no") return action;
  return action === "update" ? "create" : "skip";
}

/** The analysis with another action for one line; a question about it is settled by that. */
export function withAction(analysis: Analysis, place: number, action: Action): Analysis {
  const items = analysis.items.map((item, index) =>
    index === place ? { ...item, suggestedAction: action, question: null } : item,
  );
  return { ...analysis, items };
}
