import type { Texts } from "../../texts/define";
import type { es } from "./es";

export const en: Texts<typeof es> = {
  drop: "Drop the CSV or JSON here",
  row: "Row",
  field: "Field",
  message: "What is wrong",
  errors: "Errors by row",
  ready: {
    one: "{count} document ready to be imported, {total}",
    other: "{count} documents ready to be imported, {total}",
  },
  wrong: { one: "{count} error", other: "{count} errors" },
  wrongText: "Nothing is imported until the file is right. Correct it and choose it again.",
  now: { one: "Import {count} document", other: "Import {count} documents" },
  imported: { one: "{count} document imported", other: "{count} documents imported" },
  cancel: "Cancel",
};
