import { useSyncExternalStore } from "react";
import type { Schemas } from "../api/client";

/** Where fiscal records go: nowhere (the simulation), to the AEAT's test service, or to the AEAT. */
export type Environment = Schemas["EInvoiceEnvironment"];

const listeners = new Set<() => void>();
let current: Environment = "sandbox";

export function environment(): Environment {
  return current;
}

/** Say to which authority this server reports; the texts that name it are worded anew. */
export function reportTo(chosen: Environment): void {
  if (chosen === current) return;
  current = chosen;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The environment of this server. A record is worded by its own, which stays when the server's changes. */
export function useEnvironment(): Environment {
  return useSyncExternalStore(subscribe, environment);
}
