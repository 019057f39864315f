/** The arguments of a proposal as fields of a form: texts, numbers and days that the app has a word for. */

import { isDecimal } from "../money/exact";
import { isNamed, type FieldName } from "./texts";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type Arguments = { readonly [name: string]: Json };

export type Kind = "text" | "long" | "number" | "percent" | "amount" | "day";

export interface ArgumentField {
  /** Way to the value: `["items", "0", "unitPrice"]`. */
  readonly path: readonly string[];
  readonly name: FieldName;
  readonly kind: Kind;
}

export interface ArgumentGroup {
  /** Path of what the fields belong to; empty for the arguments themselves. */
  readonly path: readonly string[];
  readonly fields: readonly ArgumentField[];
}

/** Last words of operations that mail an invoice, with words of the sender's own or without. */
const MAILS = /\.(send_invoice|send_email)$/;

/** The arguments with what an operation may leave out and a person may want to add: the words of a mail. */
export function offeredArguments(operation: string, proposed: Arguments): Arguments {
  if (!MAILS.test(operation)) return proposed;
  const { subject = null, message = null, ...rest } = proposed;
  return { ...rest, subject, message };
}

/** Values by the path of their field, as they are typed. */
export type Typed = Readonly<Record<string, string>>;

const AMOUNTS = new Set([
  "amount",
  "closingAmount",
  "cost",
  "openingAmount",
  "retentionAmount",
  "subtotal",
  "taxAmount",
  "total",
  "unitPrice",
]);
const PERCENTS = new Set([
  "deductiblePercent",
  "defaultRetentionRate",
  "defaultTaxRate",
  "discount",
  "incomeTaxPercent",
  "retentionRate",
  "taxRate",
]);
const NUMBERS = new Set([
  "delta",
  "exchangeRate",
  "lowStockThreshold",
  "paymentTermDays",
  "quantity",
  "stock",
]);
const LONG = new Set(["content", "message", "notes", "summary", "terms"]);
/** Names of things, which stand before their figures. */
const FIRST = new Set(["description", "name", "title"]);
/** What is a code, and no text to type. */
const CODES = new Set(["country", "currency"]);
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function kindOf(name: string, value: Json): Kind | null {
  if (AMOUNTS.has(name)) return "amount";
  if (PERCENTS.has(name)) return "percent";
  if (NUMBERS.has(name)) return "number";
  if (/(Date|At)$|^date$/.test(name)) return value === null || DAY.test(String(value)) ? "day" : null;
  if (typeof value !== "string" && value !== null) return null;
  return LONG.has(name) ? "long" : "text";
}

export const keyOf = (path: readonly string[]): string => path.join(".");

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The groups of fields that can be changed: those of the request, then those of each object and line in it. */
export function groupsOf(value: Json, path: readonly string[] = []): ArgumentGroup[] {
  if (Array.isArray(value)) {
    return value.flatMap((member: Json, place) =>
      isObject(member) ? groupsOf(member, [...path, `${place}`]) : [],
    );
  }
  if (!isObject(value)) return [];
  const fields = Object.entries(value).flatMap(([name, member]): ArgumentField[] => {
    const kind = isNamed(name) && !CODES.has(name) && !isNested(member) ? kindOf(name, member) : null;
    return kind === null ? [] : [{ path: [...path, name], name: name as FieldName, kind }];
  });
  fields.sort((a, b) => Number(FIRST.has(b.name)) - Number(FIRST.has(a.name)));
  const nested = Object.entries(value).flatMap(([name, member]) => groupsOf(member, [...path, name]));
  return [...(fields.length > 0 ? [{ path, fields }] : []), ...nested];
}

const isNested = (value: Json): boolean => typeof value === "object" && value !== null;

function at(value: Json, path: readonly string[]): Json {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const member = (value as { readonly [name: string]: Json })[name];
  return at(member ?? null, rest);
}

export function typedOf(value: Arguments): Typed {
  const fields = groupsOf(value).flatMap((group) => group.fields);
  return Object.fromEntries(fields.map(({ path }) => [keyOf(path), String(at(value, path) ?? "")]));
}

/** What a field's text is in the request. A number that cannot be read is NaN, which is never sent. */
function valueOf(kind: Kind, text: string): Json {
  if (text.trim() === "") return null;
  if (kind === "text" || kind === "long" || kind === "day") return text;
  return isDecimal(text) ? Number(text) : NaN;
}

/** The arguments with what was typed; all else stays as it was proposed. */
export function changedArguments(value: Arguments, typed: Typed): Arguments {
  const kinds = new Map(
    groupsOf(value).flatMap(({ fields }) => fields.map(({ path, kind }) => [keyOf(path), kind] as const)),
  );
  function changed(member: Json, path: readonly string[]): Json {
    const key = keyOf(path);
    const kind = kinds.get(key);
    if (kind !== undefined) {
      const text = typed[key] ?? "";
      return text === String(member ?? "") ? member : valueOf(kind, text);
    }
    if (Array.isArray(member))
      return member.map((entry: Json, place) => changed(entry, [...path, `${place}`]));
    if (!isObject(member)) return member;
    return Object.fromEntries(
      Object.entries(member).map(([name, entry]) => [name, changed(entry, [...path, name])]),
    );
  }
  return changed(value, []) as Arguments;
}
