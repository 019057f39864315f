import { keyed, useAction } from "../api/actions";
import { api, NO_VERSION, put, take, type Schemas } from "../api/client";
import type { ProblemError } from "../api/problem";
import type { Profile } from "./queries";

const REFRESHES = [["declarations"], ["reports"]] as const;

export function useGeneration(onDone: (declaration: Schemas["TaxDeclaration"]) => void) {
  return useAction({
    run: (input: Schemas["GenerateInput"], key) =>
      take(api.POST("/api/tax-declarations/generate", { body: input, headers: keyed(key) })),
    refreshes: REFRESHES,
    onDone: ({ declaration }) => onDone(declaration),
  });
}

export function usePrevious(onDone: () => void) {
  return useAction({
    run: (input: Schemas["PreviousInput"], key) =>
      take(api.POST("/api/tax-declarations/previous", { body: input, headers: keyed(key) })),
    refreshes: REFRESHES,
    onDone,
  });
}

export interface Change {
  id: string;
  version: string;
  change: Partial<Schemas["DeclarationChange"]>;
}

export function useChange(onDone?: (input: Change) => void) {
  return useAction({
    run: ({ id, version, change }: Change, key) =>
      take(
        api.PATCH("/api/tax-declarations/{id}", {
          params: { path: { id } },
          body: change as Schemas["DeclarationChange"],
          headers: keyed(key, version),
        }),
      ),
    refreshes: REFRESHES,
    onDone: (_, input) => onDone?.(input),
  });
}

/** Record as filed; the receipt goes into the notes before, as nothing can be changed after. */
export function useSubmission(onDone: () => void) {
  return useAction({
    run: async (input: { id: string; notes: string | null }, key) => {
      const path = { id: input.id };
      if (input.notes !== null) {
        await api.PATCH("/api/tax-declarations/{id}", {
          params: { path },
          body: { notes: input.notes } as Schemas["DeclarationChange"],
          headers: keyed(`${key}-notes`),
        });
      }
      return take(api.PATCH("/api/tax-declarations/{id}/submit", { params: { path }, headers: keyed(key) }));
    },
    refreshes: REFRESHES,
    onDone,
  });
}

export function useAcceptance(
  onDone: (declaration: Schemas["TaxDeclaration"]) => void,
  onRefused: (problem: ProblemError) => void,
) {
  return useAction({
    run: ({ id, ...acceptance }: Schemas["ProposalAcceptance"] & { id: string }, key) =>
      take(
        api.POST("/api/tax-declarations/{id}/proposals/accept", {
          params: { path: { id } },
          body: acceptance,
          headers: keyed(key),
        }),
      ),
    refreshes: [...REFRESHES, ["expenses"], ["payables"]],
    onDone: ({ declaration }) => onDone(declaration),
    onRefused,
  });
}

export function useDeletion(onDone: () => void) {
  return useAction({
    run: (id: string, key) =>
      take(api.DELETE("/api/tax-declarations/{id}", { params: { path: { id } }, headers: keyed(key) })),
    refreshes: REFRESHES,
    onDone,
  });
}

export function useProfileChange(onDone: () => void) {
  return useAction({
    run: (fields: Profile, key) =>
      take(put(NO_VERSION)("/api/tax-declarations/profile", { body: { ...fields }, headers: keyed(key) })),
    refreshes: [["declarations"]],
    onDone,
  });
}
