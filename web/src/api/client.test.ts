import { expect, it } from "vitest";
import { serialized } from "./client";
import { UNREADABLE_NUMBER } from "./problem";

it("writes a body as JSON", () =>
  expect(serialized({ amount: 1.5, notes: null, items: [{ price: 0 }] })).toBe(
    '{"amount":1.5,"notes":null,"items":[{"price":0}]}',
  ));

it.each(["1,2,3", "12..50", "30 días", "1.250,5o"])("never sends %s as anything else", (typed) =>
  expect(() => serialized({ items: [{ unitPrice: Number(typed) }] })).toThrow(
    expect.objectContaining({ code: UNREADABLE_NUMBER }),
  ),
);
