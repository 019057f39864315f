/** What each request carries; kept outside of React because requests are sent from everywhere. */

export interface Credentials {
  csrfToken: string | null;
  teamId: string | null;
  language: string;
}

export const credentials: Credentials = { csrfToken: null, teamId: null, language: "es" };

/** Why the password is asked for: the login has expired, or what is asked for needs a proof that it is its person. */
export type Reason = "expired" | "proof";

type AskAgain = (reason: Reason) => Promise<boolean>;

let askAgain: AskAgain | null = null;

/** Register who asks for the password; it answers true once there is a new login, or the proof. */
export function whenPasswordIsNeeded(ask: AskAgain | null): void {
  askAgain = ask;
}

const waiting = new Map<Reason, Promise<boolean>>();

/** Ask for the password in place, once for all requests that were refused meanwhile for the same reason. */
export function askPassword(reason: Reason): Promise<boolean> {
  if (askAgain === null) return Promise.resolve(false);
  const asked = waiting.get(reason) ?? askAgain(reason).finally(() => waiting.delete(reason));
  waiting.set(reason, asked);
  return asked;
}
