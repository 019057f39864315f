import { keyed, useAction } from "../api/actions";
import { api, NO_VERSION, put, take, type Schemas } from "../api/client";
import { useWarnings } from "../invoices/actions";

const REFRESHES = [["einvoice"], ["invoices"], ["reports"]] as const;

/** Make another record of an invoice and send it, or its first one. */
export function useEmission(onDone: (result: Schemas["EInvoiceResult"]) => void) {
  const warn = useWarnings();
  return useAction({
    run: (input: { invoiceId: string; correct: boolean }, key) =>
      take(api.POST("/api/einvoice/emit", { body: input as Schemas["EmitInput"], headers: keyed(key) })),
    refreshes: REFRESHES,
    onDone: (result) => {
      onDone(result);
      warn(result);
    },
  });
}

export function useAnnulment(onDone: (result: Schemas["Annulled"]) => void) {
  return useAction({
    run: (input: Schemas["AnnulInput"], key) =>
      take(api.POST("/api/einvoice/annul", { body: input, headers: keyed(key) })),
    refreshes: REFRESHES,
    onDone,
  });
}

export function useContinuation(onDone: (result: Schemas["Continued"]) => void) {
  return useAction({
    run: (input: Schemas["ContinueInput"], key) =>
      take(api.POST("/api/einvoice/chain/continue", { body: input, headers: keyed(key) })),
    refreshes: [["einvoice"]],
    onDone,
  });
}

export function useModeChoice(onDone: () => void) {
  return useAction({
    run: (mode: string, key) =>
      take(put(NO_VERSION)("/api/einvoice/mode", { body: { mode }, headers: keyed(key) })),
    refreshes: [["einvoice"]],
    onDone,
  });
}

const EVERYTHING = [[]] as const;

/** Set the trial aside: nothing that was read before is true any more. */
export function useGoingLive(onDone: () => void) {
  return useAction({
    run: (input: Schemas["GoLiveInput"], key) =>
      take(api.POST("/api/go-live", { body: input, headers: keyed(key) })),
    refreshes: EVERYTHING,
    onDone,
  });
}

const MOST_CHECKED = 10_000;

/** Walk the newest part of a chain: all of it up to ten thousand records. */
export function useChainCheck() {
  return useAction({
    run: (positions: number) =>
      take(
        api.GET("/api/einvoice/chain", {
          params: { query: { verify: true, from: Math.max(1, positions - MOST_CHECKED + 1) } },
        }),
      ),
  });
}
