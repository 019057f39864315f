import type { Texts } from "../../texts/define";
import type { es } from "./es";

export const en: Texts<typeof es> = {
  merge: "Merge",
  title: "Merge a duplicate into {name}",
  duplicate: "The duplicate, which goes",
  chooseOne: "Choose from the list the one that is there twice.",
  whatGoes:
    "“{duplicate}” goes. What it had passes to “{name}”, which keeps its data and takes from the other what it lacks.",
  whatStays:
    "What has been issued or recorded does not change: it keeps the name and tax id it was made with.",
  forever: "This cannot be undone.",
};
