import { keyed, useAction } from "../api/actions";
import { api, take, type Schemas } from "../api/client";
import { toast } from "../ui/toasts";
import { asInput, type ClientForm } from "./form";
import type { Client } from "./queries";
import { useText } from "./texts";

const REFRESHES = [["clients"]];

type Saving = { form: ClientForm; id: string | null; version: string };

function send({ form, id, version }: Saving, key: string): Promise<Client> {
  const body: Schemas["ClientInput"] = asInput(form);
  if (id === null) return take(api.POST("/api/clients", { body, headers: keyed(key) }));
  const params = { path: { id } };
  return take(api.PUT("/api/clients/{id}", { params, body, headers: keyed(key, version) }));
}

export function useSaveClient(onDone: (client: Client) => void) {
  const say = useText();
  return useAction({
    run: send,
    refreshes: REFRESHES,
    onDone: (client) => {
      toast(say("saved", { name: client.name }));
      onDone(client);
    },
  });
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
