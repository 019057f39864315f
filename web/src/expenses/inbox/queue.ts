import { fieldAmount } from "../../money/exact";
import type { ProblemError } from "../../api/problem";
import type { Schemas } from "../../api/client";
import { emptyExpense, requestOf, type ExpenseForm } from "../form";
import type { ExpenseInput } from "../queries";

export type ScannedReceipt = Schemas["ScannedReceipt"];

/** A file on its way: waiting, being read, read and to be looked at, refused, or accepted as an expense. */
export interface Entry {
  /** Names the intent too: the same file tried again is read once. */
  id: string;
  file: File;
  state: "waiting" | "reading" | "read" | "failed" | "accepted";
  form: ExpenseForm;
  scanned: ScannedReceipt | null;
  error: ProblemError | null;
}

export interface Queue {
  entries: readonly Entry[];
  chosen: string | null;
}

export type Event =
  | { type: "added"; files: readonly File[]; date: string }
  | { type: "began"; id: string }
  | { type: "read"; id: string; scanned: ScannedReceipt }
  | { type: "failed"; id: string; error: ProblemError }
  | { type: "again"; id: string }
  | { type: "typed"; id: string; changes: Partial<ExpenseForm> }
  | { type: "accepted"; id: string }
  | { type: "removed"; id: string }
  | { type: "chosen"; id: string };

const text = (value: string | number | null): string => (value === null ? "" : String(value));

/** The form of what was read: what was not read stays empty, and nothing is invented. */
export function formOfScan(scanned: ScannedReceipt, date: string): ExpenseForm {
  return {
    ...emptyExpense(date, ""),
    description: text(scanned.description),
    amount: fieldAmount(scanned.amount),
    date: text(scanned.date),
    vendor: text(scanned.vendor),
    vendorTaxId: text(scanned.vendorTaxId),
    invoiceNumber: text(scanned.invoiceNumber),
    category: text(scanned.category),
    taxRate: text(scanned.taxRate),
    taxAmount: fieldAmount(scanned.taxAmount),
    paymentMethod: text(scanned.paymentMethod),
  };
}

/** The request that accepts an entry; the receipt's image goes with it. */
export function acceptance(entry: Entry): ExpenseInput {
  const { scanned } = entry;
  return {
    ...requestOf(entry.form),
    source: "receipt_scan",
    receiptId: scanned?.receiptId ?? null,
    currency: scanned?.currency ?? null,
    retentionAmount: scanned?.retentionAmount ?? null,
  };
}

function changed(queue: Queue, id: string, changes: (entry: Entry) => Partial<Entry>): Queue {
  const entries = queue.entries.map((entry) => (entry.id === id ? { ...entry, ...changes(entry) } : entry));
  return { ...queue, entries };
}

/** The entry to look at after `id`: the next one that is not accepted, else one before it. */
function following(queue: Queue, id: string): string | null {
  const place = queue.entries.findIndex((entry) => entry.id === id);
  const open = (entry: Entry) => entry.id !== id && entry.state !== "accepted";
  const after = queue.entries.slice(place + 1).find(open);
  return (after ?? queue.entries.slice(0, Math.max(0, place)).find(open))?.id ?? null;
}

function added(queue: Queue, files: readonly File[], date: string): Queue {
  const entries = files.map((file): Entry => ({
    id: crypto.randomUUID(),
    file,
    state: "waiting",
    form: emptyExpense(date, ""),
    scanned: null,
    error: null,
  }));
  return { entries: [...queue.entries, ...entries], chosen: queue.chosen ?? entries[0]?.id ?? null };
}

export function queueAfter(queue: Queue, event: Event): Queue {
  switch (event.type) {
    case "added":
      return added(queue, event.files, event.date);
    case "began":
      return changed(queue, event.id, () => ({ state: "reading", error: null }));
    case "read":
      return changed(queue, event.id, (entry) => ({
        state: "read",
        scanned: event.scanned,
        form: formOfScan(event.scanned, entry.form.date),
      }));
    case "failed":
      return changed(queue, event.id, () => ({ state: "failed", error: event.error }));
    case "again":
      return changed(queue, event.id, () => ({ state: "waiting", error: null }));
    case "typed":
      return changed(queue, event.id, (entry) => ({ form: { ...entry.form, ...event.changes } }));
    case "accepted":
      return {
        ...changed(queue, event.id, () => ({ state: "accepted" })),
        chosen: following(queue, event.id),
      };
    case "removed": {
      const entries = queue.entries.filter((entry) => entry.id !== event.id);
      return { entries, chosen: following(queue, event.id) };
    }
    case "chosen":
      return { ...queue, chosen: event.id };
  }
}

/** The neighbour of the chosen entry, one step forward or back; the same at the ends. */
export function neighbour(queue: Queue, step: 1 | -1): string | null {
  const place = queue.entries.findIndex((entry) => entry.id === queue.chosen);
  return queue.entries[Math.min(queue.entries.length - 1, Math.max(0, place + step))]?.id ?? null;
}
