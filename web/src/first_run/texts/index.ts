import { defineTexts } from "../../texts/define";
import { en } from "./en";
import { es } from "./es";

export type FirstRunText = keyof typeof es;

export const useText = defineTexts({ es, en });
