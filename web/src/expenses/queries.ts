import { useQuery } from "@tanstack/react-query";
import { api, take, takePage, takeVersioned, type Schemas, type Versioned } from "../api/client";
import type { Match } from "../ui/Typeahead";

export type Expense = Schemas["Expense"];
export type ExpenseInput = Schemas["ExpenseInput"];

export interface ExpenseFilter {
  page: number;
  search: string | null;
  category: string | null;
  vendorId: string | null;
  from: string | null;
  to: string | null;
}

export function useExpenses(filter: ExpenseFilter) {
  return useQuery({
    queryKey: ["expenses", "list", filter],
    queryFn: ({ signal }) => takePage(api.GET("/api/expenses", { params: { query: filter }, signal })),
    placeholderData: (before) => before,
  });
}

/** One expense with its version. */
export function useExpense(id: string) {
  return useQuery({
    queryKey: ["expenses", id],
    queryFn: ({ signal }) =>
      takeVersioned(api.GET("/api/expenses/{id}", { params: { path: { id } }, signal })),
  });
}

export function fetchExpense(id: string): Promise<Versioned<Expense>> {
  return takeVersioned(api.GET("/api/expenses/{id}", { params: { path: { id } } }));
}

export interface VendorMatch extends Match {
  taxId: string | null;
  country: string;
  category: string | null;
  taxRate: number | null;
}

const MATCHES = 8;

/** Stored vendors whose name or NIF has the text. */
export async function vendorMatches(search: string, signal: AbortSignal): Promise<VendorMatch[]> {
  const query = { search: search || null, limit: MATCHES };
  const vendors = await take(api.GET("/api/vendors", { params: { query }, signal }));
  return vendors.map((vendor) => ({
    id: vendor.id,
    label: vendor.name,
    detail: [vendor.taxId, vendor.city].filter(Boolean).join(" · "),
    taxId: vendor.taxId,
    country: vendor.country,
    category: vendor.defaultCategory,
    taxRate: vendor.defaultTaxRate,
  }));
}
