import { useQuery } from "@tanstack/react-query";
import { api, take, takePage, type Schemas } from "../api/client";

export type FiscalRecord = Schemas["ListedRecord"];
export type RecordStatus = FiscalRecord["status"];
export type Chain = Schemas["Chain"];
export type Providers = Schemas["Providers"];

export const STATUSES: readonly RecordStatus[] = [
  "pending",
  "unknown",
  "accepted",
  "accepted_with_errors",
  "rejected",
  "annulled",
];

export interface RecordFilter {
  status: RecordStatus | null;
  needsAction: boolean;
  page: number;
}

export function useProviders() {
  return useQuery({
    queryKey: ["einvoice", "providers"],
    queryFn: ({ signal }) => take(api.GET("/api/einvoice/providers", { signal })),
  });
}

/** Records of the account; while some wait for their answer the page is asked for again. */
export function useRecords({ status, needsAction, page }: RecordFilter) {
  const query = { page, ...(status ? { status } : {}), ...(needsAction ? { needsAction } : {}) };
  return useQuery({
    queryKey: ["einvoice", "records", query],
    queryFn: ({ signal }) => takePage(api.GET("/api/einvoice/records", { params: { query }, signal })),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) =>
      state.data?.items.some((item) => item.status === "pending" || item.status === "unknown")
        ? 10_000
        : false,
  });
}

export function useHistory(invoiceId: string) {
  return useQuery({
    queryKey: ["einvoice", "status", invoiceId],
    queryFn: ({ signal }) =>
      take(api.GET("/api/einvoice/status/{id}", { params: { path: { id: invoiceId } }, signal })),
  });
}

export function useChains() {
  return useQuery({
    queryKey: ["einvoice", "chain"],
    queryFn: ({ signal }) => take(api.GET("/api/einvoice/chain", { signal })),
  });
}

/** What going live needs and would do; once it is done, what was set aside. */
export function useGoLiveStatus(keepPurchases: boolean) {
  return useQuery({
    queryKey: ["einvoice", "go-live", keepPurchases],
    queryFn: ({ signal }) => take(api.GET("/api/go-live", { params: { query: { keepPurchases } }, signal })),
    placeholderData: (before) => before,
  });
}

export function useMode() {
  return useQuery({
    queryKey: ["einvoice", "mode"],
    queryFn: ({ signal }) => take(api.GET("/api/einvoice/mode", { signal })),
  });
}

export function useEvents(page: number) {
  return useQuery({
    queryKey: ["einvoice", "events", page],
    queryFn: ({ signal }) =>
      takePage(api.GET("/api/einvoice/events", { params: { query: { page } }, signal })),
  });
}

export function useProducerDeclaration() {
  return useQuery({
    queryKey: ["einvoice", "declaration"],
    queryFn: async ({ signal }) => {
      const shown = await take(api.GET("/api/einvoice/declaration", { signal }));
      return shown as Schemas["DeclarationShown"]; // text and HTML come where they are asked for only
    },
    retry: false,
  });
}
