import { amountText, halfUp, scaled } from "./exact";

/** A line as far as amounts go. Decimal text: rates and discount in percent with up to three decimals. */
export interface MoneyLine {
  /** Up to four decimals, as `unitPrice`. */
  quantity: string;
  unitPrice: string;
  discount?: string | null;
  /** Zero unless the category is `standard`. */
  taxRate: string;
  surchargeRate?: string | null;
  taxCategory?: string;
  exemptionCode?: string | null;
  regimeKey?: string | null;
  notSubjectReason?: string | null;
  /** Another tax than the country's general one. */
  tax?: string | null;
  /** Cost of the whole line, tax included, under a scheme that taxes the margin only. */
  purchaseCost?: string | null;
}

export interface MoneyDraft {
  lines: readonly MoneyLine[];
  retentionRate: string;
  pricesIncludeTax: boolean;
}

export interface TaxSum {
  category: string;
  /** As the first line of the group wrote it. */
  rate: string;
  base: string;
  tax: string;
  surchargeRate: string | null;
  surcharge: string;
  /** Part of the price that a margin scheme leaves untaxed; null under any other. */
  untaxed: string | null;
}

/** Amounts of a document with two decimals; `total` is what is due, after retention. */
export interface Totals {
  lines: readonly string[];
  rows: readonly TaxSum[];
  subtotal: string;
  tax: string;
  surcharge: string;
  retention: string;
  total: string;
}

const HUNDRED = 100_000n; // percent at scale 3
const PERCENT = 100n * 1000n;

const rateOf = (rate: string | null | undefined): bigint => scaled(rate || "0", 3);
const percentOf = (base: bigint, rate: bigint): bigint => halfUp(base * rate, PERCENT);
const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Quantity times price less discount, in cents, half up. */
function lineCents(line: MoneyLine): bigint {
  const product = scaled(line.quantity, 4) * scaled(line.unitPrice, 4) * (HUNDRED - rateOf(line.discount));
  return halfUp(product, 10n ** 11n);
}

/** The part of the line that is taxed: all of it; under a margin scheme the margin, zero for a loss. */
function taxableCents(line: MoneyLine): bigint {
  const amount = lineCents(line);
  if (line.purchaseCost === null || line.purchaseCost === undefined) return amount;
  const margin = amount - scaled(line.purchaseCost, 2);
  return margin * amount > 0n ? margin : 0n;
}

const taxesMargin = (line: MoneyLine) => line.purchaseCost !== null && line.purchaseCost !== undefined;

type SortKey = readonly (string | bigint)[];

/** Lines share a row of the breakdown when all of this agrees; the rows stand in its order. */
function sortKey(line: MoneyLine): SortKey {
  return [
    line.tax ?? "",
    line.taxCategory ?? "standard",
    -rateOf(line.taxRate),
    -rateOf(line.surchargeRate),
    line.exemptionCode ?? "",
    line.regimeKey ?? "",
    line.notSubjectReason ?? "",
    taxesMargin(line) ? 1n : 0n,
  ];
}

function inOrder([one]: readonly [SortKey, unknown], [other]: readonly [SortKey, unknown]): number {
  for (const [place, value] of one.entries()) {
    const compared = other[place] as typeof value;
    if (value !== compared) return value < compared ? -1 : 1;
  }
  return 0;
}

function grouped(lines: readonly MoneyLine[]): MoneyLine[][] {
  const groups = new Map<string, [SortKey, MoneyLine[]]>();
  for (const line of lines) {
    const key = sortKey(line);
    const name = JSON.stringify(key.map(String));
    const group = groups.get(name);
    if (group) group[1].push(line);
    else groups.set(name, [key, [line]]);
  }
  return [...groups.values()].sort(inOrder).map(([, group]) => group);
}

/** Base, tax and surcharge of an amount; `isIncluded`: the amount contains them. */
function split(amount: bigint, line: MoneyLine, isIncluded: boolean): [bigint, bigint, bigint] {
  const rate = rateOf(line.taxRate);
  const surchargeRate = rateOf(line.surchargeRate);
  if (!isIncluded) return [amount, percentOf(amount, rate), percentOf(amount, surchargeRate)];
  const base = halfUp(amount * HUNDRED, HUNDRED + rate + surchargeRate);
  const surcharge = percentOf(base, surchargeRate);
  return [base, amount - base - surcharge, surcharge];
}

interface Row {
  first: MoneyLine;
  base: bigint;
  tax: bigint;
  surcharge: bigint;
  untaxed: bigint;
}

function rowOf(lines: readonly MoneyLine[], pricesIncludeTax: boolean): Row {
  const first = lines[0] as MoneyLine;
  const taxable = sumOf(lines.map(taxableCents));
  const [base, tax, surcharge] = split(taxable, first, pricesIncludeTax || taxesMargin(first));
  const untaxed = taxesMargin(first) ? sumOf(lines.map(lineCents)) - taxable : 0n;
  return { first, base, tax, surcharge, untaxed };
}

function shown({ first, base, tax, surcharge, untaxed }: Row): TaxSum {
  return {
    category: first.taxCategory ?? "standard",
    rate: first.taxRate,
    base: amountText(base),
    tax: amountText(tax),
    surchargeRate: rateOf(first.surchargeRate) === 0n ? null : (first.surchargeRate as string),
    surcharge: amountText(surcharge),
    untaxed: taxesMargin(first) ? amountText(untaxed) : null,
  };
}

/**
 * The totals of a draft by the server's own policy (`core/platform/documents/totals.py`): tax once per rate on the summed base,
 * retention on the sum of bases, always half up to cents. The server's answer takes their place as soon as it is there.
 *
 * Throws RangeError for text that is no decimal.
 */
export function totalsOf(draft: MoneyDraft): Totals {
  const rows = grouped(draft.lines).map((lines) => rowOf(lines, draft.pricesIncludeTax));
  const subtotal = sumOf(rows.map((row) => row.base + row.untaxed));
  const tax = sumOf(rows.map((row) => row.tax));
  const surcharge = sumOf(rows.map((row) => row.surcharge));
  const retention = percentOf(subtotal, rateOf(draft.retentionRate));
  return {
    lines: draft.lines.map((line) => amountText(lineCents(line))),
    rows: rows.map(shown),
    subtotal: amountText(subtotal),
    tax: amountText(tax),
    surcharge: amountText(surcharge),
    retention: amountText(retention),
    total: amountText(subtotal + tax + surcharge - retention),
  };
}
