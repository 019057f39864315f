import { keyed, useAction } from "../api/actions";
import { api, NO_VERSION, put, take, type Schemas } from "../api/client";
import type { Payable, PayableInput } from "./queries";

/** First words of the queries that a change of what is owed makes stale. */
export const REFRESHES = [["payables"], ["vendors"], ["reports"], ["overview"], ["declarations"]];

export function useRecordPayable(onDone: (payable: Payable) => void) {
  return useAction({
    run: (body: PayableInput, key) => take(api.POST("/api/supplier-invoices", { body, headers: keyed(key) })),
    refreshes: REFRESHES,
    onDone,
  });
}

export function usePay(id: string, onDone: (payment: Schemas["SupplierPayment"]) => void) {
  return useAction({
    run: (body: Schemas["SupplierPaymentInput"], key) =>
      take(
        api.POST("/api/supplier-invoices/{id}/payments", {
          params: { path: { id } },
          body,
          headers: keyed(key),
        }),
      ),
    refreshes: REFRESHES,
    onDone,
  });
}

export function useCancelPayable(id: string, onDone: (payable: Payable) => void) {
  return useAction({
    run: (reason: string) =>
      take(
        put(NO_VERSION)("/api/supplier-invoices/{id}/cancel", {
          params: { path: { id } },
          body: { reason: reason.trim() || null },
        }),
      ),
    refreshes: REFRESHES,
    onDone,
  });
}
