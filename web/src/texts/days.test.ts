import { afterEach, expect, it } from "vitest";
import { quarterNumber } from "./days";
import { chooseLanguage } from "./language";

afterEach(() => chooseLanguage("es"));

it("shortens the ordinals of quarters as Spanish does", () => {
  expect([1, 2, 3, 4].map(quarterNumber)).toEqual(["1.er", "2.º", "3.er", "4.º"]);
});

it("leaves the figure in English", () => {
  chooseLanguage("en");
  expect(quarterNumber("3")).toBe("3");
});
