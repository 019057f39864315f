import { useQuery } from "@tanstack/react-query";
import { keyed, useAction } from "../../api/actions";
import { api, take, takeVersioned, type Schemas, type Versioned } from "../../api/client";
import { endsAt } from "./words";

export type Messenger = Schemas["InstalledMessenger"];
export type LinkedChat = Schemas["MessagingLink"];

/** A code with the moment at which it ends, in milliseconds of this device's clock. */
export type NewChat = Schemas["NewMessagingLink"] & { endsAt: number };
export type Preferences = Schemas["StoredPreferences"];

const MESSENGERS = ["messaging", "messengers"] as const;
const LINKS = ["messaging", "links"] as const;
export const PREFERENCES = ["messaging", "preferences"] as const;

/** Milliseconds after which the links are asked for again, while a code waits to be used and a little longer. */
const LOOK_AGAIN = 2_000;

export function useMessengers() {
  return useQuery({
    queryKey: MESSENGERS,
    queryFn: ({ signal }) => take(api.GET("/api/messaging/messengers", { signal })),
  });
}

/** The linked chats that the user may see; asked for again and again while a code of theirs may be used. */
export function useLinkedChats(code: NewChat | null = null) {
  const end = code === null ? 0 : code.endsAt + 2 * LOOK_AGAIN;
  return useQuery({
    queryKey: LINKS,
    queryFn: ({ signal }) => take(api.GET("/api/messaging/links", { signal })),
    refetchInterval: () => (Date.now() < end ? LOOK_AGAIN : false),
  });
}

/** Make a code that links a chat of a messenger. */
export function useNewCode(onMade: (made: NewChat, messenger: string) => void) {
  return useAction({
    run: async (messenger: string, key): Promise<NewChat> => {
      const call = api.POST("/api/messaging/links", { body: { messenger }, headers: keyed(key) });
      const { response } = await call;
      const made = await take(call);
      return { ...made, endsAt: endsAt(made.expiresAt, response.headers.get("Date"), Date.now()) };
    },
    onDone: onMade,
  });
}

export function useUnlinking(onDone: () => void) {
  return useAction({
    run: (id: string) => take(api.DELETE("/api/messaging/links/{id}", { params: { path: { id } } })),
    refreshes: [LINKS],
    onDone,
  });
}

export const fetchPreferences = (signal?: AbortSignal): Promise<Versioned<Preferences>> =>
  takeVersioned(api.GET("/api/messaging/settings", signal ? { signal } : {}));

export function usePreferences() {
  return useQuery({ queryKey: PREFERENCES, queryFn: ({ signal }) => fetchPreferences(signal) });
}
