/** What each request carries; kept outside of React because requests are sent from everywhere. */

export interface Credentials {
  csrfToken: string | null;
  teamId: string | null;
  language: string;
}

export const credentials: Credentials = { csrfToken: null, teamId: null, language: "es" };

type AskAgain = () => Promise<boolean>;

let askAgain: AskAgain | null = null;

/** Register who asks for the password when a login has expired; it answers true once there is a new login. */
export function whenLoginExpires(ask: AskAgain | null): void {
  askAgain = ask;
}

let waiting: Promise<boolean> | null = null;

/** Ask for the password in place, once for all requests that were refused meanwhile. */
export function loginAgain(): Promise<boolean> {
  if (askAgain === null) return Promise.resolve(false);
  waiting ??= askAgain().finally(() => {
    waiting = null;
  });
  return waiting;
}
