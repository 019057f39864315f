import type { Schemas } from "../api/client";
import type { Json } from "../approvals/form";

type Entry = Schemas["ActivityLog"];
type Write = Schemas["UndoneWrite"];
type Change = { readonly from: Json; readonly to: Json };

/** Writes that stay for one reason. */
export interface Reason {
  readonly reason: string;
  readonly remedy: string | null;
  readonly writes: readonly Write[];
}

/** A field that an undo puts back: its value until then, and afterwards. */
export interface Return {
  readonly field: string;
  readonly from: Json;
  readonly to: Json;
}

/** Ways back that change fields of a record, and those after which there is no record to show fields of. */
const CHANGE = new Set([
  "assigned",
  "payment_removed",
  "role_changed",
  "status_changed",
  "stock_changed",
  "updated",
]);
const END = new Set(["deleted", "withdrawn"]);

/** Fields that follow from others, or that stand beside a name. */
const FOLLOWING = /^((base|net|deductible)[A-Z].*|position|vendorId)$/;

export const recordKey = (type: string, id: string): string => `${type} ${id}`;

/** The fields that go back by record, from the entries that an undo would write, the oldest first. */
export function returnsOf(entries: readonly Entry[]): ReadonlyMap<string, readonly Return[]> {
  const records = new Map<string, Map<string, Return>>();
  for (const { entityType, entityId, action, changes } of entries) {
    const key = recordKey(entityType, entityId);
    if (END.has(action)) records.delete(key);
    if (!CHANGE.has(action)) continue;
    const fields = records.get(key) ?? new Map<string, Return>();
    for (const [field, { from, to }] of Object.entries(changes as Readonly<Record<string, Change>>)) {
      if (!FOLLOWING.test(field))
        fields.set(field, { field, from: (fields.get(field) ?? { from }).from, to });
    }
    records.set(key, fields);
  }
  const goesBack = ({ from, to }: Return) => JSON.stringify(from) !== JSON.stringify(to);
  return new Map([...records].map(([key, fields]) => [key, [...fields.values()].filter(goesBack)]));
}

/** Entries that tell of no write: of a proposal, or of another entry. */
const NOTES = new Set(["approved", "proposed", "rejected", "stock_below_zero", "undone"]);

/** An entry of each change that would be undone: the writes of one change have one moment. */
export function entriesToUndo(writes: readonly Write[]): string[] {
  const byMoment = new Map<string, string>();
  for (const write of writes) if (write.undone) byMoment.set(write.createdAt, write.entryId);
  return [...byMoment.values()];
}

/** The reasons for which writes stay, each once with its writes. */
export function reasonsOf(writes: readonly Write[]): Reason[] {
  const reasons = new Map<string, { reason: string; remedy: string | null; writes: Write[] }>();
  for (const write of writes) {
    if (write.undone) continue;
    const { reason, remedy } = write;
    const key = JSON.stringify([reason, remedy]);
    const known = reasons.get(key) ?? { reason: reason ?? "", remedy, writes: [] };
    known.writes.push(write);
    reasons.set(key, known);
  }
  return [...reasons.values()];
}

/** Tells whether the user has written this in the app, so that undoing it may be offered. */
export function isOwnWrite(entry: Entry, userId: string): boolean {
  const isInApp = entry.client === null && entry.keyPrefix === null;
  return entry.userId === userId && isInApp && entry.entityType !== "approval" && !NOTES.has(entry.action);
}

/** The entries of a page that were undone, or by which others were, as its entries say. */
export function goneOf(entries: readonly Entry[]): ReadonlySet<string> {
  const marks = entries.filter((entry) => entry.action === "undone");
  const moments = new Set(marks.map((mark) => mark.createdAt));
  const gone = new Set<string>();
  for (const { changes } of marks) {
    const { from } = (changes as Readonly<Record<string, { from: unknown }>>)["entry"] ?? {};
    if (typeof from === "string") gone.add(from);
  }
  for (const entry of entries) if (moments.has(entry.createdAt)) gone.add(entry.id);
  return gone;
}
