import { useQueryClient } from "@tanstack/react-query";
import { keyed, useAction } from "../api/actions";
import { api, take, takeVersioned } from "../api/client";
import { ProblemError } from "../api/problem";
import type { Arguments } from "./form";
import { APPROVALS, type Proposal, type WholeProposal } from "./queries";
import { isSame } from "./summary";

/** Whatever was approved may have changed any record, and the session with its team. */
const EVERYTHING = [[]] as const;

function useRefresh(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: APPROVALS });
}

const single = (id: string) => ({ params: { path: { id } } });

interface Approving {
  /** It is done, or by the refusal it turns out that it is over. */
  onDone: (closed: WholeProposal) => void;
  /** What would be done is not what the user has seen: it is shown again, and nothing is done. */
  onChanged: (seen: readonly string[]) => void;
}

/**
 * Approve what the user has seen. The proposal is read first, and approved at that version: one that somebody else's
 * attempt has refreshed meanwhile is shown before it is done.
 */
export function useApprove({ id }: Proposal, { onDone, onChanged }: Approving) {
  const refresh = useRefresh();
  function closed(now: WholeProposal): void {
    if (now.status !== "pending") onDone(now);
    refresh();
  }
  return useAction({
    run: async (seen: readonly string[], key) => {
      const { data, version } = await takeVersioned(api.GET("/api/approvals/{id}", single(id)));
      if (data.status === "pending" && !isSame(seen, data.summary)) return null;
      const headers = keyed(key, version);
      return take(api.POST("/api/approvals/{id}/approve", { ...single(id), headers })).catch(changed);
    },
    refreshes: EVERYTHING,
    onDone: (done, seen) => (done === null ? onChanged(seen) : onDone(done)),
    onRefused: () => void take(api.GET("/api/approvals/{id}", single(id))).then(closed, refresh),
  });
}

/** Null for the refusal of what is not as it was seen; any other is thrown. */
function changed(error: unknown): null {
  if (error instanceof ProblemError && (error.code === "APPROVAL_CHANGED" || error.status === 412))
    return null;
  throw error;
}

export function useReject({ id }: Proposal, onDone: (rejected: WholeProposal) => void) {
  const refresh = useRefresh();
  return useAction({
    run: (reason: string, key) =>
      take(
        api.POST("/api/approvals/{id}/reject", {
          ...single(id),
          body: { reason: reason.trim() || null },
          headers: keyed(key),
        }),
      ),
    refreshes: [APPROVALS],
    onDone,
    onRefused: refresh,
  });
}

/** Propose the same operation again, with the data of now. */
export function useProposeAgain(onDone: (proposed: WholeProposal) => void) {
  return useAction({
    run: async (id: string, key) => {
      const { operation, arguments: proposed, note } = await take(api.GET("/api/approvals/{id}", single(id)));
      const body = { operation, arguments: proposed, note };
      return take(api.POST("/api/approvals", { body, headers: keyed(key) }));
    },
    refreshes: [APPROVALS],
    onDone,
  });
}

/**
 * Put a proposal with changed arguments in the place of another one, which is rejected. Where that was decided
 * meanwhile, the new one goes again: nothing is done twice.
 */
export function useReplace(
  replaced: WholeProposal,
  reason: string,
  onDone: (proposed: WholeProposal) => void,
) {
  const refresh = useRefresh();
  const { id, operation, note } = replaced;
  return useAction({
    run: async (changed: Arguments, key) => {
      const body = { operation, arguments: changed, note };
      const proposed = await take(api.POST("/api/approvals", { body, headers: keyed(key) }));
      const reject = (which: string) =>
        take(
          api.POST("/api/approvals/{id}/reject", {
            ...single(which),
            body: { reason },
            headers: keyed(`${key}-${which}`),
          }),
        );
      try {
        await reject(id);
      } catch (error) {
        await reject(proposed.id);
        throw error;
      }
      return proposed;
    },
    refreshes: [APPROVALS],
    onDone,
    onRefused: refresh,
  });
}
