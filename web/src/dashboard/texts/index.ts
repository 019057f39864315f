import { defineTexts } from "../../texts/define";
import { en } from "./en";
import { es } from "./es";

export const useDashboardText = defineTexts({ es, en });
