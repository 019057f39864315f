import { defineTexts } from "../../texts/define";
import { activity as activityInEnglish } from "./activity.en";
import { activity as activityInSpanish } from "./activity.es";
import { en } from "./en";
import { es } from "./es";

export type SettingsText = keyof typeof es;

export const useText = defineTexts({ es, en });

const useActivityText = defineTexts({ es: activityInSpanish, en: activityInEnglish });

/** Names an entity, an action or a channel of the activity log: of what a newer server adds, its own word is shown. */
export function useActivityName(): (
  kind: "entity" | "action" | "approval" | "channel",
  word: string,
) => string {
  const say = useActivityText();
  return (kind, word) => {
    const key = `${kind}_${word}`;
    return key in activityInSpanish ? say(key as keyof typeof activityInSpanish) : word;
  };
}
