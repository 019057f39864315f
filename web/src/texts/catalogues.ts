import type { Text } from "./define";
import type { Language } from "./language";

export type Catalogue = Readonly<Record<string, Text>>;

const modules = import.meta.glob<Record<string, Catalogue>>(["../*/**/texts/*.ts", "../{app,ui}/texts.ts"], {
  eager: true,
});

/** Every catalogue of a language with its room, for tests of what all texts have to keep. */
export function catalogues(language: Language): [room: string, catalogue: Catalogue][] {
  return Object.entries(modules).flatMap(([path, module]): [string, Catalogue][] => {
    const catalogue = path.endsWith(`.${language}.ts`) ? Object.values(module)[0] : module[language];
    const [, room = ""] = path.split("/");
    return catalogue === undefined ? [] : [[room, catalogue]];
  });
}

/** The wordings of a text: one, or one for each number. */
export const forms = (text: Text) => (typeof text === "string" ? [text] : [text.one, text.other]);
