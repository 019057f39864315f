import { defineTexts } from "../../texts/define";
import { en } from "./en";
import { es } from "./es";

export const useText = defineTexts({ es, en });
export type InvoiceText = keyof typeof es;
