import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, take, takePage, takeVersioned, type Schemas } from "../api/client";

export type CatalogItem = Schemas["CatalogItem"];
export type Variant = Schemas["Variant"];

export const PAGE_SIZE = 50;

export interface CatalogFilter {
  view: "all" | "low" | "inactive";
  search: string | null;
  category: string | null;
  page: number;
}

function fetchItems(filter: CatalogFilter, signal: AbortSignal) {
  const place = { page: filter.page, limit: PAGE_SIZE };
  if (filter.view === "low") return api.GET("/api/catalog/low-stock", { params: { query: place }, signal });
  const query = {
    ...place,
    search: filter.search,
    category: filter.category,
    includeInactive: filter.view === "inactive",
  };
  return api.GET("/api/catalog", { params: { query }, signal });
}

export function useItems(filter: CatalogFilter) {
  return useQuery({
    queryKey: ["catalog", "list", filter],
    queryFn: ({ signal }) => takePage(fetchItems(filter, signal)),
    placeholderData: keepPreviousData,
  });
}

export function useCategories() {
  return useQuery({
    queryKey: ["catalog", "categories"],
    queryFn: ({ signal }) => take(api.GET("/api/catalog/categories", { signal })),
  });
}

export function useItem(id: string) {
  return useQuery({
    queryKey: ["catalog", "item", id],
    queryFn: ({ signal }) =>
      takeVersioned(api.GET("/api/catalog/{id}", { params: { path: { id } }, signal })),
  });
}
