/* eslint no-restricted-globals: ["error", "fetch"] -- the one place that keeps anything in the browser */

/** Choices of this browser that outlive the session: nothing of the server's data may be among them. */
export type Choice = "language" | "theme" | "team";

export const remembered = {
  read(choice: Choice): string | null {
    try {
      return globalThis.localStorage?.getItem(`ledgerkit.${choice}`) ?? null;
    } catch {
      return null; // storage is forbidden in this browser: the choice lasts as long as the page
    }
  },
  write(choice: Choice, value: string | null): void {
    try {
      if (value === null) globalThis.localStorage?.removeItem(`ledgerkit.${choice}`);
      else globalThis.localStorage?.setItem(`ledgerkit.${choice}`, value);
    } catch {
      // as above
    }
  },
};
