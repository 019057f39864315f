import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, take, takePage, type Schemas } from "../api/client";

export type CashRegister = Schemas["CashRegister"];
export type Movement = Schemas["Movement"];
export type RegisterOverview = Schemas["RegisterOverview"];
export type CatalogItem = Schemas["CatalogItem"];

export const CURRENT = ["cash-register", "current"] as const;
const SHOWN = 100;

export function useCurrentRegister() {
  return useQuery({
    queryKey: CURRENT,
    queryFn: async ({ signal }) => (await take(api.GET("/api/cash-register/current", { signal }))) ?? null,
  });
}

export function useRegister(id: string) {
  return useQuery({
    queryKey: ["cash-register", "register", id],
    queryFn: ({ signal }) => take(api.GET("/api/cash-register/{id}", { params: { path: { id } }, signal })),
  });
}

export function useClosedRegisters(page: number) {
  return useQuery({
    queryKey: ["cash-register", "history", page],
    queryFn: ({ signal }) =>
      take(api.GET("/api/cash-register/history", { params: { query: { page } }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function useOpenRegisters() {
  return useQuery({
    queryKey: ["cash-register", "open"],
    queryFn: ({ signal }) => takePage(api.GET("/api/cash-register/open", { signal })),
  });
}

export function fetchItems(search: string, signal?: AbortSignal) {
  const query = { limit: SHOWN, page: 1, ...(search ? { search } : {}) };
  return take(api.GET("/api/catalog", { params: { query }, signal: signal ?? null }));
}

export function useTillItems(search: string) {
  return useQuery({
    queryKey: ["catalog", "till", search],
    queryFn: ({ signal }) => fetchItems(search, signal),
    placeholderData: keepPreviousData,
  });
}

/** The tax rate of goods that have none of their own: the team's, else the general one of the country, else none. */
export function useUsualRate() {
  return useQuery({
    queryKey: ["team", "usual-tax-rate"],
    queryFn: ({ signal }) => take(api.GET("/api/teams/usual-tax-rate", { signal })),
    select: ({ taxRate }) => String(taxRate ?? 0),
  });
}

/** The document of a sale or refund, and its QR. */
export function useDocument(id: string | null) {
  const params = { path: { id: id ?? "" } };
  const invoice = useQuery({
    queryKey: ["invoices", "invoice", id, "receipt"],
    queryFn: ({ signal }) => take(api.GET("/api/invoices/{id}", { params, signal })),
    enabled: id !== null,
  });
  const qr = useQuery({
    queryKey: ["invoices", "qr", id],
    queryFn: async ({ signal }) => (await take(api.GET("/api/invoices/{id}/qr", { params, signal }))) ?? null,
    enabled: id !== null,
  });
  return { invoice, qr };
}
