import { useQuery } from "@tanstack/react-query";
import { api, take, type Schemas } from "../api/client";

export type Overview = Schemas["Overview"];

export function useOverview() {
  return useQuery({
    queryKey: ["reports", "overview"],
    queryFn: ({ signal }) => take(api.GET("/api/reports/overview", { signal })),
  });
}

/** Money in and out of twelve months; asked for once the figures are on the screen. */
export function useCashflow(enabled = true) {
  return useQuery({
    queryKey: ["reports", "cashflow"],
    queryFn: ({ signal }) => take(api.GET("/api/expenses/cashflow", { signal })),
    enabled,
  });
}
