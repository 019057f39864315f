import { useQuery } from "@tanstack/react-query";
import { api, take, takePage, type Schemas } from "../api/client";
import { ProblemError } from "../api/problem";
import { useMay, useSession } from "../app/session";

export type Proposal = Schemas["ApprovalInList"];
export type WholeProposal = Schemas["Approval"];
export type State = Schemas["ApprovalStatus"];

export const APPROVALS = ["approvals"] as const;

/** Milliseconds after which the count in the menu, and a proposal that is being done, are asked for again. */
const COUNT_AGAIN = 60_000;
const LOOK_AGAIN = 2_000;

const isBeingDone = (proposals: readonly Proposal[]) => proposals.some(({ status }) => status === "approved");

/** Number of the proposals that wait for the user; the cheapest question that the interface has for it. */
export function usePendingCount(): number {
  const query = { status: "pending", limit: 1 } as const;
  const { data } = useQuery({
    queryKey: [...APPROVALS, "count"],
    queryFn: async ({ signal }) =>
      (await takePage(api.GET("/api/approvals", { params: { query }, signal }))).total,
    enabled: useMay("approvals:read"),
    refetchInterval: COUNT_AGAIN,
  });
  return data ?? 0;
}

export function useProposals(status: State | null, page: number) {
  const query = { page, limit: 20, ...(status === null ? {} : { status }) };
  return useQuery({
    queryKey: [...APPROVALS, "list", status, page],
    queryFn: ({ signal }) => takePage(api.GET("/api/approvals", { params: { query }, signal })),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isBeingDone(state.data.items) ? LOOK_AGAIN : false,
  });
}

export function useProposal(id: string) {
  return useQuery({
    queryKey: [...APPROVALS, "single", id],
    queryFn: ({ signal }) => take(api.GET("/api/approvals/{id}", { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isBeingDone([state.data]) ? LOOK_AGAIN : false,
  });
}

/** The other team of the user in whose books a proposal is; asked where the open books do not have it. */
export function useOtherBooks(id: string, isMissing: boolean) {
  const { teams, team } = useSession().session;
  const others = teams.filter((other) => other.id !== team?.id);
  return useQuery({
    queryKey: [...APPROVALS, "elsewhere", id],
    queryFn: async ({ signal }) => {
      for (const other of others) {
        const headers = { "X-Team-Id": other.id };
        const found = await take(
          api.GET("/api/approvals/{id}", { params: { path: { id } }, headers, signal }),
        ).catch((error: unknown) => {
          if (error instanceof ProblemError && error.status < 500) return null;
          throw error;
        });
        if (found) return other;
      }
      return null;
    },
    enabled: isMissing && others.length > 0,
  });
}

type Read = (id: string, signal: AbortSignal) => Promise<string | null>;

/** How records are named that a proposal makes; others are named by their kind. */
const NAMES: Readonly<Record<string, Read>> = {
  invoice: async (id, signal) =>
    (await take(api.GET("/api/invoices/{id}", { params: { path: { id } }, signal }))).number ?? null,
  client: async (id, signal) =>
    (await take(api.GET("/api/clients/{id}", { params: { path: { id } }, signal }))).name,
  vendor: async (id, signal) =>
    (await take(api.GET("/api/vendors/{id}", { params: { path: { id } }, signal }))).name,
  expense: async (id, signal) =>
    (await take(api.GET("/api/expenses/{id}", { params: { path: { id } }, signal }))).description,
  catalog_item: async (id, signal) =>
    (await take(api.GET("/api/catalog/{id}", { params: { path: { id } }, signal }))).name,
};

/** The number or name of the record that a proposal has made. */
export function useRecordName(record: Schemas["ApprovalResult"]): string | null {
  const read = NAMES[record.type];
  const { data } = useQuery({
    queryKey: [...APPROVALS, "name", record.type, record.id],
    queryFn: ({ signal }) => read?.(record.id, signal) ?? null,
    enabled: read !== undefined,
    retry: false,
  });
  return data ?? null;
}
