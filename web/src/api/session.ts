import { ProblemError } from "./problem";
import { api, take, type Schemas } from "./client";

export type Session = Schemas["Session"];
export type SessionTeam = NonNullable<Session["team"]>;

/** Ask who is logged in, what they may do here, and whose books are open. */
export function fetchSession(signal?: AbortSignal): Promise<Session> {
  return take(api.GET("/auth/session", { signal: signal ?? null }));
}

export function logIn(email: string, password: string): Promise<Session> {
  return take(api.POST("/auth/session", { body: { email, password } }));
}

/** Type the password again: for ten minutes it proves who sits here. */
export async function provePassword(password: string): Promise<void> {
  await take(api.POST("/auth/session/proof", { body: { password } }));
}

/** End the login on the server; where it has ended already, there is nothing left to do. */
export async function logOut(): Promise<void> {
  try {
    await take(api.DELETE("/auth/session", {}));
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 401)) throw error;
  }
}
