/** Notes and coins of the euro in cents, the largest first. */
export const NOTES = [50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500] as const;
export const COINS = [200, 100, 50, 20, 10, 5, 2, 1] as const;

/** How many of each, as typed, by its cents. */
export type Count = Readonly<Record<number, string>>;

/** The sum of a count in cents; what is no whole number counts as none. */
export function countedCents(count: Count): bigint {
  return [...NOTES, ...COINS].reduce((total, value) => {
    const typed = (count[value] ?? "").trim();
    return /^\d{1,6}$/.test(typed) ? total + BigInt(value) * BigInt(typed) : total;
  }, 0n);
}
