/** An entry of a list of the profile while it is being typed: its fields by name, as text; empty is not stated. */
export type Row = Readonly<Record<string, string>>;

type Kind = "text" | "digits" | "amount" | "percent" | "day" | "choice" | "country" | "truth";

/** A field of the entries of a list, with what its text becomes on the wire. */
export interface RowField<Label extends string = string> {
  name: string;
  label: Label;
  kind: Kind;
  max?: number;
  required?: boolean;
  /** Values of a choice, with their labels. */
  options?: readonly (readonly [string, Label])[];
}

type Entry = Readonly<Record<string, unknown>>;

const NUMBERS: readonly Kind[] = ["amount", "percent"];

function onWire(kind: Kind, text: string): unknown {
  if (kind === "truth") return text === "true";
  return NUMBERS.includes(kind) ? Number(text) : text;
}

export function asRow(fields: readonly RowField[], entry: Entry): Row {
  return Object.fromEntries(
    fields.map(({ name }) => {
      const value = entry[name];
      return [name, value === null || value === undefined ? "" : String(value)];
    }),
  );
}

/** What is sent of an entry: the fields that state something. */
export function asEntry(fields: readonly RowField[], row: Row): Entry {
  const stated = fields.filter(({ name }) => (row[name] ?? "").trim() !== "");
  return Object.fromEntries(stated.map(({ name, kind }) => [name, onWire(kind, (row[name] ?? "").trim())]));
}
