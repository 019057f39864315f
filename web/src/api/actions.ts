import { useMutation, useQueryClient, type QueryKey } from "@tanstack/react-query";
import { useRef } from "react";
import { isUnreadableNumber, type ProblemError } from "./problem";
import { showUnreadable } from "../ui/unreadable";

interface Intent {
  body: string;
  key: string;
}

export interface ActionOptions<Input, Output> {
  /** Do it. The key is sent as `Idempotency-Key`: the same intent tried again is done once. */
  run: (input: Input, idempotencyKey: string) => Promise<Output>;
  /** First words of the queries that the action makes stale: `[["invoices"], ["overview"]]`. */
  refreshes?: readonly QueryKey[];
  onDone?: (output: Output, input: Input) => void;
  /** Runs although the screen that asked may be gone by then. */
  onRefused?: (problem: ProblemError) => void;
}

/** A change on the server: one key per intent, kept until it is done, so that a retry never does it twice. */
export function useAction<Input = void, Output = unknown>(options: ActionOptions<Input, Output>) {
  const queries = useQueryClient();
  const intent = useRef<Intent | null>(null);
  return useMutation<Output, ProblemError, Input>({
    networkMode: "always",
    mutationFn: (input) => {
      const body = JSON.stringify(input) ?? "";
      if (intent.current?.body !== body) intent.current = { body, key: crypto.randomUUID() };
      return options.run(input, intent.current.key);
    },
    onError: (error) => {
      if (isUnreadableNumber(error)) showUnreadable();
      options.onRefused?.(error);
    },
    onSuccess: (output, input) => {
      intent.current = null;
      for (const queryKey of options.refreshes ?? []) void queries.invalidateQueries({ queryKey });
      options.onDone?.(output, input);
    },
  });
}

/** Headers of a change: `{ "Idempotency-Key": key }`, and `If-Match` where a version is known. */
export function keyed(idempotencyKey: string, version?: string): Record<string, string> {
  return version
    ? { "Idempotency-Key": idempotencyKey, "If-Match": version }
    : { "Idempotency-Key": idempotencyKey };
}
