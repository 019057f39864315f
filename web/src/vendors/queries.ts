import { useQuery } from "@tanstack/react-query";
import { api, takePage, takeVersioned, type Schemas, type Versioned } from "../api/client";

export type Vendor = Schemas["Vendor"];
export type VendorCard = Schemas["VendorPage"];
export type VendorInput = Schemas["VendorInput"];

export function useVendors(page: number, search: string | null) {
  const query = { page, search };
  return useQuery({
    queryKey: ["vendors", "list", query],
    queryFn: ({ signal }) => takePage(api.GET("/api/vendors", { params: { query }, signal })),
    placeholderData: (before) => before,
  });
}

export function fetchVendor(id: string, signal?: AbortSignal): Promise<Versioned<VendorCard>> {
  return takeVersioned(
    api.GET("/api/vendors/{id}", { params: { path: { id } }, ...(signal ? { signal } : {}) }),
  );
}

/** One vendor with its version. */
export function useVendor(id: string | null) {
  return useQuery({
    queryKey: ["vendors", id],
    queryFn: ({ signal }) => fetchVendor(id ?? "", signal),
    enabled: id !== null,
  });
}

const STATEMENT = 20;

/** The vendor's invoices, the newest first: what was bought, paid, and is owed. */
export function useStatement(vendorId: string, isAllowed: boolean) {
  const query = { vendorId, limit: STATEMENT, sort: "invoiceDate", order: "desc" } as const;
  return useQuery({
    queryKey: ["payables", "list", query],
    queryFn: ({ signal }) => takePage(api.GET("/api/supplier-invoices", { params: { query }, signal })),
    enabled: isAllowed,
  });
}

export function useVendorExpenses(id: string) {
  const params = { path: { id }, query: { limit: STATEMENT } };
  return useQuery({
    queryKey: ["vendors", id, "expenses"],
    queryFn: ({ signal }) => takePage(api.GET("/api/vendors/{id}/expenses", { params, signal })),
  });
}
