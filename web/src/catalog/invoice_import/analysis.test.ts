import { expect, it } from "vitest";
import { actionWith, suggested, withAction, type Analysis } from "./analysis";

const analysis: Analysis = {
  items: [
    { name: "Tornillo", matchedItemId: "a", question: 0 },
    { name: "Tuerca", question: 1 },
    { name: "Portes", suggestedAction: "skip" },
  ],
  questions: ["¿Es el mismo?", "¿Es nuevo?"],
};

it("suggests what the server would do", () => {
  expect(analysis.items.map(suggested)).toEqual(["update", "create", "skip"]);
});

it("follows the answers as the server does", () => {
  const actions = (answers: string[]) => analysis.items.map((item) => actionWith(item, answers));
  expect(actions(["no", "no"])).toEqual(["create", "skip", "skip"]);
  expect(actions(["yes", ""])).toEqual(["update", "create", "skip"]);
});

it("lets a person decide on a line", () => {
  const decided = withAction(analysis, 0, "skip");
  expect(actionWith(decided.items[0] as Analysis["items"][0], ["no", ""])).toBe("skip");
  expect(decided.items[1]).toBe(analysis.items[1]);
});
