import { defineTexts } from "../../texts/define";
import { en } from "./en";
import { es } from "./es";
import { fields as fieldsInEnglish } from "./fields.en";
import { fields as fieldsInSpanish } from "./fields.es";

export const useText = defineTexts({ es, en });
export const useFieldText = defineTexts({ es: fieldsInSpanish, en: fieldsInEnglish });
export type FieldName = keyof typeof fieldsInSpanish;

/** Tells whether the app has a word for a field of a request. */
export const isNamed = (name: string): name is FieldName => name in fieldsInSpanish;
