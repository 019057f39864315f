import { useQuery } from "@tanstack/react-query";
import { api, take, takePage, type Schemas } from "../api/client";

export type Payable = Schemas["SupplierInvoice"];
export type PayableInput = Schemas["SupplierInvoiceInput"];
export type PayableDetails = Schemas["SupplierInvoiceWithPayments"];
export type PayableAlerts = Schemas["PayableAlerts"];
export type Payment = Schemas["SupplierPayment"];
export type State = Payable["status"];

/** What the list is narrowed to: one state, or all of which something is owed. */
export type Listed = State | "open";
export const LISTED: readonly Listed[] = ["open", "pending", "partial", "overdue", "paid", "cancelled"];

/** Ages of what is owed, as the interface sums them up. */
export const BUCKETS = ["current", "days30", "days60", "days90", "days120", "over120"] as const;
export type Bucket = (typeof BUCKETS)[number];

export interface PayableFilter {
  page: number;
  search: string | null;
  status: Listed | null;
  vendorId: string | null;
  dateFrom: string | null;
  dateTo: string | null;
  dueFrom: string | null;
  dueTo: string | null;
}

export interface PaymentFilter {
  page: number;
  vendorId: string | null;
  paymentMethod: string | null;
  dateFrom: string | null;
  dateTo: string | null;
}

/** Payments to all vendors, the latest first. */
export function usePayments(filter: PaymentFilter) {
  return useQuery({
    queryKey: ["payables", "payments", filter],
    queryFn: ({ signal }) =>
      takePage(api.GET("/api/supplier-invoices/payments/all", { params: { query: filter }, signal })),
    placeholderData: (before) => before,
  });
}

export function usePayables({ status, ...filter }: PayableFilter) {
  const state = status === "open" ? { open: true } : { status };
  const query = { ...filter, ...state, sort: "dueDate", order: "desc" } as const;
  return useQuery({
    queryKey: ["payables", "list", query],
    queryFn: ({ signal }) => takePage(api.GET("/api/supplier-invoices", { params: { query }, signal })),
    placeholderData: (before) => before,
  });
}

export function useAging() {
  return useQuery({
    queryKey: ["payables", "aging"],
    queryFn: ({ signal }) => take(api.GET("/api/supplier-invoices/aging", { signal })),
  });
}

export function useAlerts() {
  return useQuery({
    queryKey: ["payables", "alerts"],
    queryFn: ({ signal }) => take(api.GET("/api/supplier-invoices/alerts", { signal })),
  });
}

export function usePayable(id: string) {
  return useQuery({
    queryKey: ["payables", id],
    queryFn: ({ signal }) =>
      take(api.GET("/api/supplier-invoices/{id}", { params: { path: { id } }, signal })),
  });
}
