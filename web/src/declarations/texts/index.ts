import { defineTexts } from "../../texts/define";
import { en } from "./en";
import { es } from "./es";

export const useTaxText = defineTexts({ es, en });
export type TaxText = keyof typeof es;
