import { defineTexts } from "../../texts/define";
import { en } from "./en";
import { es } from "./es";

export const useText = defineTexts({ es, en });

/** Categories that the interface suggests; any other text is a category too. */
export const CATEGORIES = [
  "office",
  "software",
  "travel",
  "meals",
  "vehicle",
  "fuel",
  "rent",
  "utilities",
  "telecom",
  "professional",
  "marketing",
  "insurance",
  "training",
  "bank",
  "taxes",
  "social_security",
  "goods",
  "other",
] as const;

/** Name of a category in the language of the reader; one's own is shown as it was typed. */
export function useCategoryName(): (category: string) => string {
  const say = useText();
  return (category) => {
    const suggested = CATEGORIES.find((known) => known === category);
    return suggested ? say(`category_${suggested}`) : category;
  };
}

/** Key of the category that a typed name means; any other text is a category of one's own. */
export function useCategoryKey(): (typed: string) => string {
  const say = useText();
  return (typed) => {
    const name = typed.trim().toLowerCase();
    return CATEGORIES.find((category) => say(`category_${category}`).toLowerCase() === name) ?? typed;
  };
}
