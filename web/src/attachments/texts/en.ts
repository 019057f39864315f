import type { Texts } from "../../texts/define";
import type { es } from "./es";

export const en: Texts<typeof es> = {
  title: "Attachments",
  add: "Attach a file",
  none: "No attachments",
  open: "Open {name}",
  remove: "Remove {name}",
  removed: "{name}: removed",
  added: "{name}: attached",
};
