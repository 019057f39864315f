import { defineTexts } from "../../texts/define";
import { activity as activityInEnglish } from "./activity.en";
import { activity as activityInSpanish } from "./activity.es";
import { changes as changesInEnglish } from "./changes.en";
import { changes as changesInSpanish } from "./changes.es";
import { chats as chatsInEnglish } from "./chats.en";
import { chats as chatsInSpanish } from "./chats.es";
import { en } from "./en";
import { es } from "./es";

export type SettingsText = keyof typeof es;

export const useText = defineTexts({ es, en });

export const useChangeText = defineTexts({ es: changesInSpanish, en: changesInEnglish });
export type ChangeText = keyof typeof changesInSpanish;

export const useChatsText = defineTexts({ es: chatsInSpanish, en: chatsInEnglish });

/** Tells whether the app has this word for a field or a value of a change. */
export const isChangeText = (key: string): key is ChangeText => key in changesInSpanish;

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
