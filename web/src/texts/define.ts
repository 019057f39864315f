import { useTaxWords } from "./country";
import { environment, useEnvironment } from "./environment";
import { language, useLanguage, type Language } from "./language";

/** A text, or its two forms by number: `{ one: "{count} factura", other: "{count} facturas" }`. */
export type Text = string | { readonly one: string; readonly other: string };

/** The catalogue of another language: the same keys, each of the same kind. A missing one does not compile. */
export type Texts<Catalogue> = {
  readonly [Key in keyof Catalogue]: Catalogue[Key] extends string ? string : { one: string; other: string };
};

export type Values = Readonly<Record<string, string | number>>;

export type Say<Key> = (key: Key, values?: Values) => string;

const plurals = { es: new Intl.PluralRules("es"), en: new Intl.PluralRules("en") };

function form(text: Text, values: Values | undefined, spoken: Language): string {
  if (typeof text === "string") return text;
  return plurals[spoken].select(Number(values?.count ?? 0)) === "one" ? text.one : text.other;
}

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * Put values in the places of a text: `{name}`. A place that has no value takes the word of its name, with a capital
 * letter where the text begins with it.
 */
export function filled(text: Text, values: Values | undefined, spoken: Language, words: Values = {}): string {
  return form(text, values, spoken).replace(/\{(\w+)\}/g, (place, name: string, position: number) => {
    const value = values?.[name];
    if (value !== undefined) return String(value);
    const word = String(words[name] ?? place);
    return position === 0 ? capitalised(word) : word;
  });
}

export interface Catalogues<Catalogue> {
  readonly es: Catalogue;
  readonly en: Texts<Catalogue>;
}

/** Ends the key of a text as the simulation words it: there nothing reaches the authority that the usual words name. */
const SIMULATED = "_sandbox";

function worded<Catalogue extends Readonly<Record<string, Text>>>(
  catalogue: Catalogue,
  key: string,
  where: string,
): Text {
  const simulated = where === "sandbox" ? catalogue[key + SIMULATED] : undefined;
  return simulated ?? catalogue[key] ?? key;
}

/**
 * The texts of a feature as a hook: `const useText = defineTexts({ es, en })`, `const say = useText()`, `say("title")`.
 *
 * In the simulation `title_sandbox` stands for `title` where it exists. What is said of one record is said by the
 * record's own environment, `useText(record.environment)`, and the rest by the server's. `{tax}`, `{incomeTax}` and
 * `{retention}` are the names that the team's country has for them.
 */
export function defineTexts<Catalogue extends Readonly<Record<string, Text>>>(
  catalogues: Catalogues<Catalogue>,
) {
  return function useText(of?: string): Say<keyof Catalogue & string> {
    const spoken = useLanguage();
    const ours = useEnvironment();
    const words = useTaxWords(spoken);
    return (key, values) => filled(worded(catalogues[spoken], key, of ?? ours), values, spoken, words);
  };
}

/** The same outside of components, in the language and environment of the moment. */
export function sayIn<Catalogue extends Readonly<Record<string, Text>>>(
  catalogues: Catalogues<Catalogue>,
): Say<keyof Catalogue & string> {
  return (key, values) => filled(worded(catalogues[language()], key, environment()), values, language());
}
