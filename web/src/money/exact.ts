/** Exact arithmetic of amounts on integers. Decimal text goes in and comes out; no float is involved. */

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Tells whether it is decimal text, and not something typed that cannot be read. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/** What is reckoned; null while a figure of it cannot be read, or has more decimals than are reckoned with. */
export function ifReadable<Result>(reckon: () => Result): Result | null {
  try {
    return reckon();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** `12.5` at scale 4 as `125000n`. Throws RangeError for what is no decimal text of at most so many decimals. */
export function scaled(decimal: string, scale: number): bigint {
  if (!DECIMAL.test(decimal)) throw new RangeError(`no decimal: ${decimal}`);
  const [whole = "", fraction = ""] = decimal.replace("-", "").split(".");
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > scale) throw new RangeError(`more than ${scale} decimals: ${decimal}`);
  const value = BigInt(whole + digits.padEnd(scale, "0"));
  return decimal.startsWith("-") ? -value : value;
}

/** `125000n` cents as `1250.00`. */
export function amountText(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Quotient as an integer, half up, symmetric about zero. The divisor is above zero. */
export function halfUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = (2n * (dividend < 0n ? -dividend : dividend) + divisor) / (2n * divisor);
  return dividend < 0n ? -quotient : quotient;
}

export const cents = (amount: number | string): bigint => scaled(String(amount), 2);

/** The difference of two amounts, as `12.50`. */
export function minus(amount: number | string, other: number | string): string {
  return amountText(cents(amount) - cents(other));
}

/** The sum of amounts, as `12.50`. */
export function sum(amounts: readonly (number | string)[]): string {
  return amountText(amounts.reduce((total, amount) => total + cents(amount), 0n));
}

/** `1234500n` at scale 4 as `123.45`: without zeros at the end. */
export function decimalText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  const whole = digits.slice(0, digits.length - scale);
  return `${value < 0n ? "-" : ""}${whole}${fraction ? `.${fraction}` : ""}`;
}

/** An amount as its field shows it, with two decimals at least: `6.5` is `6.50`, empty text stays empty. */
export function fieldAmount(amount: number | string | null): string {
  const text = amount === null ? "" : String(amount);
  if (!/^-?\d+(\.\d?)?$/.test(text)) return text;
  const [units = "", cents = ""] = text.split(".");
  return `${units}.${cents.padEnd(2, "0")}`;
}
