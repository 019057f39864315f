import { useQuery } from "@tanstack/react-query";
import { api, take, takePage } from "../api/client";
import { useCategoryName } from "../expenses/texts";
import { cashflowReport, incomeReport, profitReport, vatReport } from "./models";
import { payablesReport } from "./payablesReport";
import type { Report, SayReports } from "./report";
import { tillReport } from "./tillReport";

export type View = "profit" | "cashflow" | "vat" | "income" | "till" | "payables";

export const VIEWS: readonly View[] = ["profit", "income", "cashflow", "vat", "payables", "till"];

export interface Asked {
  view: View;
  from: string;
  to: string;
  year: number;
  quarter: number;
  opening: string;
  /** The day of today, and the currency of the books. */
  today: string;
  currency: string;
}

interface Words {
  say: SayReports;
  categoryName: (category: string) => string;
}

async function fetchPayables(
  { today, currency }: Asked,
  say: SayReports,
  signal: AbortSignal,
): Promise<Report> {
  const [summary, vendors] = await Promise.all([
    take(api.GET("/api/supplier-invoices/summary", { signal })),
    takePage(api.GET("/api/supplier-invoices/accounts-payable", { signal })),
  ]);
  return payablesReport({ summary, vendors, today, currency }, say);
}

async function fetchReport(asked: Asked, { say, categoryName }: Words, signal: AbortSignal): Promise<Report> {
  const { view, from, to, year, quarter, opening } = asked;
  const days = { params: { query: { from, to } }, signal };
  if (view === "profit") {
    return profitReport(await take(api.GET("/api/expenses/profit-loss", days)), say, categoryName);
  }
  if (view === "income") return incomeReport(await take(api.GET("/api/expenses/income-summary", days)), say);
  if (view === "vat") {
    const query = { year, quarter };
    return vatReport(await take(api.GET("/api/expenses/tax-summary", { params: { query }, signal })), say);
  }
  if (view === "till") return tillReport(await take(api.GET("/api/cash-register/summary", days)), say);
  if (view === "payables") return fetchPayables(asked, say, signal);
  const query = opening === "" ? {} : { opening: Number(opening) };
  return cashflowReport(await take(api.GET("/api/expenses/cashflow", { params: { query }, signal })), say);
}

export function useReport(asked: Asked, spoken: string, say: SayReports) {
  const categoryName = useCategoryName();
  return useQuery({
    queryKey: ["reports", asked, spoken],
    queryFn: ({ signal }) => fetchReport(asked, { say, categoryName }, signal),
  });
}
