import { useQueries, useQuery } from "@tanstack/react-query";
import { keyed, useAction } from "../../api/actions";
import { api, take } from "../../api/client";
import { asDataUrl } from "../../ui/files";
import type { CatalogItem } from "../queries";
import type { Analysis } from "./analysis";

export function useAiBalance() {
  return useQuery({
    queryKey: ["ai", "usage"],
    queryFn: ({ signal }) => take(api.GET("/api/ai/usage", { params: { query: { limit: 1 } }, signal })),
  });
}

export function useAnalyse(onDone: (analysis: Analysis) => void) {
  return useAction({
    run: async (image: string, key) =>
      take(api.POST("/api/catalog/import-invoice", { headers: keyed(key), body: { image } })),
    refreshes: [["ai"]],
    onDone,
  });
}

export const imageOf = (file: File): Promise<string> => asDataUrl(file);

/** The items that lines were matched with, as they are now. */
export function useMatchedItems(analysis: Analysis): ReadonlyMap<string, CatalogItem> {
  const ids = [
    ...new Set(analysis.items.flatMap((item) => (item.matchedItemId ? [item.matchedItemId] : []))),
  ];
  const queries = useQueries({
    queries: ids.map((id) => ({
      queryKey: ["catalog", "matched", id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        take(api.GET("/api/catalog/{id}", { params: { path: { id } }, signal })),
    })),
  });
  return new Map(queries.flatMap(({ data }) => (data ? [[data.id, data] as const] : [])));
}

export interface Confirmation {
  analysis: Analysis;
  answers: string[];
}

export function useConfirm() {
  return useAction({
    run: (body: Confirmation, key) =>
      take(api.POST("/api/catalog/confirm-import", { headers: keyed(key), body })),
    refreshes: [["catalog"], ["vendors"], ["supplier-invoices"], ["payables"]],
  });
}
