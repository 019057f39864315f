import { defineTexts } from "../../texts/define";
import { en } from "./en";
import { es } from "./es";

export type SettingsText = keyof typeof es;

export const useText = defineTexts({ es, en });
