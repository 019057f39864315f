import { keyed, useAction } from "../api/actions";
import { api, put, take, type Answer } from "../api/client";
import { toast } from "../ui/toasts";
import { asInput, type ClientForm } from "./form";
import type { Client } from "./queries";
import { useText } from "./texts";

export const REFRESHES = [["clients"]];

/** Create a client where there is no version, else change the one with the id upon it. */
export function send(
  form: ClientForm,
  id: string,
  version: string | null,
  key: string,
): Promise<Answer<Client>> {
  const body = asInput(form);
  if (version === null) return api.POST("/api/clients", { body, headers: keyed(key) });
  return put(version)("/api/clients/{id}", { params: { path: { id } }, body });
}

export function mergeClients(id: string, duplicateId: string, key: string) {
  const params = { path: { id } };
  return take(api.POST("/api/clients/{id}/merge", { params, body: { duplicateId }, headers: keyed(key) }));
}

export function useDeleteClient(onDone: () => void) {
  const say = useText();
  return useAction({
    run: (id: string) => take(api.DELETE("/api/clients/{id}", { params: { path: { id } } })),
    refreshes: REFRESHES,
    onDone: () => {
      toast(say("deleted"));
      onDone();
    },
  });
}
