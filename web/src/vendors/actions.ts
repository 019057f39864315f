import { keyed, useAction } from "../api/actions";
import { api, take } from "../api/client";

export const REFRESHES = [["vendors"], ["payables"]];

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
