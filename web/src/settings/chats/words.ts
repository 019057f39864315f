import type { Messenger, Preferences } from "./queries";

type ProblemText =
  | "problem_token"
  | "problem_other_poller"
  | "problem_unreachable"
  | "problem_webhook"
  | "problem_other"
  | "notReached";

const PROBLEMS: Readonly<Record<string, ProblemText>> = {
  token: "problem_token",
  other_poller: "problem_other_poller",
  unreachable: "problem_unreachable",
  webhook: "problem_webhook",
};

/** What keeps a messenger from working, as the key of a sentence; null where it works. */
export function problemOf({ problem, botName }: Messenger): ProblemText | null {
  if (problem !== null) return PROBLEMS[problem] ?? "problem_other";
  return botName === null ? "notReached" : null;
}

/** The name of a messenger as people write it, also of one that is not set up any more. */
export function titleOf(name: string, messengers: readonly Messenger[]): string {
  const known = messengers.find((messenger) => messenger.name === name);
  return known?.title ?? name.charAt(0).toUpperCase() + name.slice(1);
}

/** Milliseconds by which the time of an answer may be behind: it has whole seconds, and is made once in each. */
const BEHIND = 2_000;

/**
 * The moment at which something of the server ends, by the clock of this device, which may be wrong: what is left of it
 * counts from the server's own time, as the answer says it. Rather a little early than late.
 */
export function endsAt(expiresAt: string, answeredAt: string | null, now: number): number {
  const end = Date.parse(expiresAt);
  return answeredAt === null ? end : now + end - Date.parse(answeredAt) - BEHIND;
}

/** Seconds until a moment; zero once it is past. */
export const secondsUntil = (moment: number, now: number): number =>
  Math.max(0, Math.ceil((moment - now) / 1_000));

/** `582` as `9:42`. */
export const minutesAndSeconds = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/** `8` as `8:00`. */
const hour = (of: number) => ({ value: String(of), label: `${of}:00` });

export const HOURS = Array.from({ length: 24 }, (_, of) => hour(of));

/** The languages of the server's chats, each by its own name. */
export const LANGUAGES = [
  { value: "es", label: "Español" },
  { value: "en", label: "English" },
  { value: "ca", label: "Català" },
] as const;

/** What the user is sent, as a form holds it: the hour is text, and so is the language, empty for one's own. */
export interface PreferencesForm {
  digest: boolean;
  digestHour: string;
  quiet: boolean;
  language: string;
}

export const asForm = ({ digest, digestHour, quiet, language }: Preferences): PreferencesForm => ({
  digest,
  digestHour: String(digestHour),
  quiet,
  language: language ?? "",
});

export const asPreferences = ({ digestHour, language, ...switches }: PreferencesForm) => ({
  ...switches,
  digestHour: Number(digestHour),
  language: language === "" ? null : language,
});
