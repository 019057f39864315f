import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, takePage, takeVersioned, type Schemas, type Versioned } from "../api/client";

export type Client = Schemas["Client"];

export const PAGE_SIZE = 50;

export function useClients(page: number, search: string | null) {
  const query = { page, limit: PAGE_SIZE, ...(search ? { search } : {}) };
  return useQuery({
    queryKey: ["clients", "list", query],
    queryFn: ({ signal }) => takePage(api.GET("/api/clients", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function fetchClient(id: string, signal?: AbortSignal): Promise<Versioned<Client>> {
  return takeVersioned(
    api.GET("/api/clients/{id}", { params: { path: { id } }, ...(signal ? { signal } : {}) }),
  );
}

/** One client with its version. */
export function useClient(id: string) {
  return useQuery({
    queryKey: ["clients", "card", id],
    queryFn: ({ signal }) => fetchClient(id, signal),
  });
}
