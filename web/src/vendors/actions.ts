import { keyed, useAction } from "../api/actions";
import { api, take } from "../api/client";
import type { Vendor, VendorInput } from "./queries";

const REFRESHES = [["vendors"], ["payables"]];

/** Make a vendor, or change the one with the id. */
export function useSaveVendor(id: string | null, onDone: (vendor: Vendor) => void) {
  return useAction({
    run: (body: VendorInput, key) =>
      id === null
        ? take(api.POST("/api/vendors", { body, headers: keyed(key) }))
        : take(api.PUT("/api/vendors/{id}", { params: { path: { id } }, body })),
    refreshes: REFRESHES,
    onDone,
  });
}

export function mergeVendors(id: string, duplicateId: string, key: string) {
  const params = { path: { id } };
  return take(api.POST("/api/vendors/{id}/merge", { params, body: { duplicateId }, headers: keyed(key) }));
}

export function useDeleteVendor(onDone: () => void) {
  return useAction({
    run: (id: string) => take(api.DELETE("/api/vendors/{id}", { params: { path: { id } } })),
    refreshes: REFRESHES,
    onDone,
  });
}
