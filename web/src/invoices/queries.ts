import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, take, takePage, takeVersioned, type Schemas, type Versioned } from "../api/client";

export type Invoice = Schemas["Invoice"];
export type InvoiceItem = Schemas["InvoiceItem"];
export type InvoiceStatus = Invoice["status"];
export type DocType = Invoice["docType"];
export type EInvoice = Schemas["EInvoiceResult"];
export type InvoiceInput = Schemas["InvoiceInput"];
export type InvoicePreview = Schemas["InvoicePreview"];
export type TaxRow = Schemas["TaxRow"];

export const PAGE_SIZE = 50;
export const STATUSES: readonly InvoiceStatus[] = ["draft", "sent", "overdue", "paid"];
export const DOC_TYPES: readonly DocType[] = ["invoice", "simplified", "credit_note"];

/** The record of an invoice that the authority has or gets; null while it has none. */
export const recordOf = (invoice: Invoice) => invoice.einvoice as EInvoice | null;

/** Whether the authority holds somebody else's document under the invoice's number. */
export const isTaken = (record: EInvoice | null) =>
  [...(record?.errors ?? []), ...(record?.refused?.errors ?? [])].some(
    (error) => error.code === "NUMBER_TAKEN",
  );

/** What stands for a client who is not named: a simplified invoice needs none, any other still wants one. */
export const nameless = (invoice: Invoice) => (invoice.docType === "simplified" ? "walkIn" : "noClient");

export const pdfPath = (id: string) => `/api/invoices/${id}/pdf`;

export interface InvoiceFilter {
  status?: InvoiceStatus;
  search?: string;
  from?: string;
  to?: string;
  /** Days of a payment. */
  paidFrom?: string;
  paidTo?: string;
  docType?: DocType;
  clientId?: string;
  page: number;
  limit?: number;
}

export function useInvoices(filter: InvoiceFilter) {
  const query = { limit: PAGE_SIZE, ...filter };
  return useQuery({
    queryKey: ["invoices", "list", query],
    queryFn: ({ signal }) => takePage(api.GET("/api/invoices", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function useInvoiceCounts() {
  return useQuery({
    queryKey: ["invoices", "counts"],
    queryFn: ({ signal }) => take(api.GET("/api/invoices/counts", { signal })),
  });
}

export function fetchInvoice(id: string, signal?: AbortSignal): Promise<Versioned<Invoice>> {
  return takeVersioned(
    api.GET("/api/invoices/{id}", { params: { path: { id } }, ...(signal ? { signal } : {}) }),
  );
}

/** One invoice with its version. */
export function useInvoice(id: string) {
  return useQuery({
    queryKey: ["invoices", "one", id],
    queryFn: ({ signal }) => fetchInvoice(id, signal),
  });
}

export function usePayments(id: string) {
  return useQuery({
    queryKey: ["invoices", "payments", id],
    queryFn: ({ signal }) =>
      takePage(api.GET("/api/invoices/{id}/payments", { params: { path: { id } }, signal })),
  });
}

/** The fiscal state with its history and the QR. */
export function useEInvoiceStatus(id: string, isEmitted: boolean) {
  return useQuery({
    queryKey: ["invoices", "einvoice", id],
    queryFn: ({ signal }) => take(api.GET("/api/einvoice/status/{id}", { params: { path: { id } }, signal })),
    enabled: isEmitted,
  });
}
