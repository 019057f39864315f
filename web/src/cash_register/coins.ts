/** Notes and coins of the euro in cents, the largest first. */
export const NOTES = [50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500] as const;
export const COINS = [200, 100, 50, 20, 10, 5, 2, 1] as const;

/** How many of each, as typed, by its cents. */
export type Count = Readonly<Record<number, string>>;

/** Tells whether it is a whole number of up to six digits, or nothing. */
export const isCount = (typed: string): boolean => /^\d{0,6}$/.test(typed.trim());

/** The sum of a count in cents; what is empty counts as none. Throws RangeError for what is no whole number. */
export function countedCents(count: Count): bigint {
  return [...NOTES, ...COINS].reduce((total, value) => {
    const typed = (count[value] ?? "").trim();
    if (!isCount(typed)) throw new RangeError(`no count: ${typed}`);
    return total + BigInt(value) * BigInt(typed || "0");
  }, 0n);
}
