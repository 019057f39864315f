/** An entry of a list of the profile while it is being typed: its fields by name, as text; empty is not stated. */
export type Row = Readonly<Record<string, string>>;

type Kind = "text" | "digits" | "count" | "amount" | "percent" | "day" | "choice" | "country" | "truth";

/** A field of the entries of a list, with what its text becomes on the wire. */
export interface RowField<Label extends string = string> {
  name: string;
  label: Label;
  kind: Kind;
  max?: number;
  required?: boolean;
  /** An entry may state that the value is not known, which is more than leaving it out. */
  mayBeUnknown?: boolean;
  /** Values of a choice, with their labels. */
  options?: readonly (readonly [string, Label])[];
}

type Entry = Readonly<Record<string, unknown>>;

const NUMBERS: readonly Kind[] = ["count", "amount", "percent"];

function onWire(kind: Kind, text: string): unknown {
  if (kind === "truth") return text === "true";
  return NUMBERS.includes(kind) ? Number(text) : text;
}

/** The name in a row under which "true" states that a field's value is not known. */
export const unknownFlag = (name: string) => `${name}IsUnknown`;

function textOf({ name, mayBeUnknown }: RowField, entry: Entry): Row {
  const value = entry[name];
  if (mayBeUnknown && value === null) return { [name]: "", [unknownFlag(name)]: "true" };
  return { [name]: value === null || value === undefined ? "" : String(value) };
}

export function asRow(fields: readonly RowField[], entry: Entry): Row {
  return Object.assign({}, ...fields.map((field) => textOf(field, entry))) as Row;
}

/** What is sent of an entry: the fields that state something. */
export function asEntry(fields: readonly RowField[], row: Row): Entry {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }): [string, unknown][] => {
      const text = (row[name] ?? "").trim();
      if (row[unknownFlag(name)] === "true") return [[name, null]];
      return text === "" ? [] : [[name, onWire(kind, text)]];
    }),
  );
}
