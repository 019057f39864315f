import { useSyncExternalStore } from "react";
import { credentials } from "../api/credentials";
import { remembered } from "./remembered";

export type Language = "es" | "en";

const listeners = new Set<() => void>();

function firstLanguage(): Language {
  const chosen = remembered.read("language");
  if (chosen === "es" || chosen === "en") return chosen;
  return globalThis.navigator?.language.toLowerCase().startsWith("en") ? "en" : "es";
}

let current: Language = "es";

function apply(language: Language): void {
  current = language;
  credentials.language = language;
  if (globalThis.document) document.documentElement.lang = language;
}

apply(firstLanguage());

export function language(): Language {
  return current;
}

export function chooseLanguage(chosen: Language): void {
  remembered.write("language", chosen);
  apply(chosen);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The language of the interface; the component is drawn anew when it changes. */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, language);
}
