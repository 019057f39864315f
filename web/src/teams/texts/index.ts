import { defineTexts } from "../../texts/define";
import { en } from "./en";
import { es } from "./es";

export const useText = defineTexts({ es, en });

/** Name of a role or of a part of a permission in the language of the reader; a new one is shown as the server names it. */
export function useServerWord(): (word: string) => string {
  const say = useText();
  return (word) => (Object.hasOwn(es, word) ? say(word as keyof typeof es) : word);
}
