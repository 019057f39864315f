import { expect, it } from "vitest";
import { acceptance, neighbour, queueAfter, type Queue, type ScannedReceipt } from "./queue";

const EMPTY: Queue = { entries: [], chosen: null };
const file = (name: string) => new File(["x"], name);

function scanned(fields: Partial<ScannedReceipt>): ScannedReceipt {
  const nothing = {
    description: null,
    amount: null,
    vendor: null,
    date: null,
    category: null,
    taxRate: null,
    currency: null,
  };
  return {
    ...nothing,
    confidence: nothing,
    engine: "rapidocr",
    receiptId: "r-1",
    vendorTaxId: null,
    invoiceNumber: null,
    taxAmount: null,
    taxes: [],
    retentionAmount: null,
    paymentMethod: null,
    warnings: [],
    duplicates: [],
    ...fields,
  };
}

function withFiles(...names: string[]): Queue {
  return queueAfter(EMPTY, { type: "added", files: names.map(file), date: "2026-11-23" });
}

const idAt = (queue: Queue, place: number) => queue.entries[place]?.id ?? "";

it("shows the first of the files that came", () => {
  const queue = withFiles("a.jpg", "b.jpg");
  expect(queue.entries.map((entry) => entry.state)).toEqual(["waiting", "waiting"]);
  expect(queue.chosen).toBe(idAt(queue, 0));
});

it("leaves empty what was not read, the date too", () => {
  const queue = withFiles("a.jpg");
  const read = queueAfter(queue, { type: "read", id: idAt(queue, 0), scanned: scanned({ amount: 12.1 }) });
  expect(read.entries[0]?.form).toMatchObject({ amount: "12.10", date: "", vendor: "", taxRate: "" });
});

it("accepts with the image of the receipt", () => {
  const queue = withFiles("a.jpg");
  const read = queueAfter(queue, {
    type: "read",
    id: idAt(queue, 0),
    scanned: scanned({ amount: 12.1, currency: "EUR" }),
  });
  const [entry] = read.entries;
  expect(entry && acceptance(entry)).toMatchObject({
    amount: 12.1,
    receiptId: "r-1",
    source: "receipt_scan",
  });
});

it("sends no amount where none was read: zero would be invented", () => {
  const queue = withFiles("a.jpg");
  const read = queueAfter(queue, { type: "read", id: idAt(queue, 0), scanned: scanned({ vendor: "Bar" }) });
  const [entry] = read.entries;
  expect(entry && acceptance(entry).amount).toBeNull();
});

it("goes on to the next open one, and back when there is none", () => {
  const queue = withFiles("a.jpg", "b.jpg", "c.jpg");
  const [first, second, third] = [idAt(queue, 0), idAt(queue, 1), idAt(queue, 2)];
  const after = queueAfter(queueAfter(queue, { type: "chosen", id: third }), { type: "accepted", id: third });
  expect(after.chosen).toBe(first);
  expect(queueAfter(after, { type: "accepted", id: first }).chosen).toBe(second);
});

it("stays within its ends", () => {
  const queue = withFiles("a.jpg", "b.jpg");
  expect(neighbour(queue, -1)).toBe(idAt(queue, 0));
  expect(neighbour(queueAfter(queue, { type: "chosen", id: idAt(queue, 1) }), 1)).toBe(idAt(queue, 1));
  expect(neighbour(EMPTY, 1)).toBeNull();
});
