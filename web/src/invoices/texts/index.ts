import { defineTexts, sayIn } from "../../texts/define";
import { en } from "./en";
import { es } from "./es";

export const useText = defineTexts({ es, en });
export const sayText = sayIn({ es, en });
export type InvoiceText = keyof typeof es;
