/** Reading the lines of a proposal's summary: its effect, facts with a label, and whether it can be undone. */

export interface Fact {
  /** Empty for a line without a label. */
  readonly label: string;
  readonly value: string;
}

export interface Reading {
  readonly effect: string;
  readonly facts: readonly Fact[];
  /** Whether and how it can be undone; null where the summary says nothing of it. */
  readonly afterwards: string | null;
}

/** Words of the longest label that a last sentence is not taken for: "This cannot be undone: ..." has more. */
const LABEL_WORDS = 3;
/** How shorter sentences begin that have a colon, and no label does: "Es un borrador: ...". */
const SENTENCE = /^(Es|És|It|This) /;

function factOf(line: string): Fact {
  const [, label = "", value = line] = /^([^:]+): (.*)$/.exec(line) ?? [];
  return { label, value };
}

/** Tells whether the last line is a sentence about what comes after, and no fact. */
function isAfterwards(line: string): boolean {
  const { label } = factOf(line);
  return (
    line.endsWith(".") && (label === "" || SENTENCE.test(label) || label.split(" ").length > LABEL_WORDS)
  );
}

export function readSummary(lines: readonly string[]): Reading {
  const [effect = "", ...rest] = lines;
  const last = rest.at(-1);
  const hasEnding = last !== undefined && isAfterwards(last);
  return {
    effect,
    facts: (hasEnding ? rest.slice(0, -1) : rest).map(factOf),
    afterwards: hasEnding ? last : null,
  };
}

/** Labels of facts that warn, and of the amount that counts, in the languages of summaries. */
const WARNING = new Set(["Atención", "Attention", "Atenció"]);
const TOTAL = new Set(["Total"]);

export const isWarning = ({ label }: Fact): boolean => WARNING.has(label);
export const isTotal = ({ label }: Fact): boolean => TOTAL.has(label);

export interface Difference {
  /** The fact is not as it was; `was` is its earlier value, null where there was none. */
  readonly was: string | null;
}

/** Tell how a fact differs from those of an earlier summary; null where it was there just so. */
export function differenceOf(fact: Fact, before: readonly Fact[]): Difference | null {
  const alike = before.filter(({ label }) => label === fact.label);
  if (alike.some(({ value }) => value === fact.value)) return null;
  return { was: alike.length === 1 ? (alike[0]?.value ?? null) : null };
}

/** Facts of an earlier summary of which the present one has none with the label. */
export function goneSince(before: readonly Fact[], now: readonly Fact[]): readonly Fact[] {
  return before.filter((fact) => !now.some(({ label }) => label === fact.label));
}

export const isSame = (before: readonly string[], now: readonly string[]): boolean =>
  before.length === now.length && before.every((line, place) => line === now[place]);
