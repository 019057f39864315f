import { describe, expect, it } from "vitest";
import type { Schemas } from "../api/client";
import { entriesToUndo, goneOf, isOwnWrite, reasonsOf, returnsOf } from "./undoing";

const write = (fields: Partial<Schemas["UndoneWrite"]>) =>
  ({
    entryId: "1",
    createdAt: "a",
    undone: true,
    reason: null,
    remedy: null,
    ...fields,
  }) as Schemas["UndoneWrite"];

type Entry = Schemas["ActivityLog"];

const entry = (fields: Partial<Schemas["ActivityLog"]>) =>
  ({
    id: "1",
    userId: "ana",
    client: null,
    keyPrefix: null,
    entityType: "client",
    action: "created",
    changes: {},
    createdAt: "a",
    ...fields,
  }) as Schemas["ActivityLog"];

describe("undoing", () => {
  it("asks for one entry of each change", () => {
    const writes = [write({}), write({ entryId: "2" }), write({ entryId: "3", createdAt: "b" })];
    expect(entriesToUndo([...writes, write({ entryId: "4", createdAt: "c", undone: false })])).toEqual([
      "2",
      "3",
    ]);
  });

  it("says each reason once", () => {
    const stays = (entryId: string, reason: string) => write({ entryId, undone: false, reason });
    const told = reasonsOf([write({}), stays("2", "filed"), stays("3", "filed"), stays("4", "older")]);
    expect(told.map(({ reason, writes }) => [reason, writes.length])).toEqual([
      ["filed", 2],
      ["older", 1],
    ]);
  });

  it("tells of each record the fields that go back, over several changes of it", () => {
    const back = (entityId: string, changes: Entry["changes"], action = "updated") =>
      entry({ entityId, action, changes });
    const returns = returnsOf([
      back("a", { city: { from: "Lugo", to: "Vigo" }, phone: { from: "1", to: "2" } }),
      back("b", { city: { from: "Lugo", to: "Vigo" } }),
      back("a", { city: { from: "Vigo", to: "Bilbao" }, phone: { from: "2", to: "1" } }),
      back("a", { entry: { from: "1", to: null } }, "undone"),
      back("b", {}, "deleted"),
      back("c", { baseTotal: { from: 1, to: 2 }, position: { from: 1, to: 2 } }),
    ]);
    expect([...returns]).toEqual([
      ["client a", [{ field: "city", from: "Lugo", to: "Bilbao" }]],
      ["client c", []],
    ]);
  });

  it("knows what was undone, and what undid it", () => {
    const page = [
      entry({ id: "mark", action: "undone", changes: { entry: { from: "made", to: null } }, createdAt: "b" }),
      entry({ id: "deleted", action: "deleted", createdAt: "b" }),
      entry({ id: "made" }),
      entry({ id: "other" }),
    ];
    expect([...goneOf(page)].sort()).toEqual(["deleted", "made", "mark"]);
  });

  it.each([
    [{}, true],
    [{ userId: "berta" }, false],
    [{ client: "Asistente" }, false],
    [{ keyPrefix: "lk_1" }, false],
    [{ action: "undone" }, false],
    [{ entityType: "approval", action: "approved" }, false],
  ])("offers %j: %s", (fields, expected) => {
    expect(isOwnWrite(entry(fields), "ana")).toBe(expected);
  });
});
