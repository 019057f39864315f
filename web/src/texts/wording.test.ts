import { afterEach, expect, it } from "vitest";
import { en as taxInEnglish } from "../declarations/texts/en";
import { es as tax } from "../declarations/texts/es";
import { periodName } from "../declarations/words";
import { en as dashboardInEnglish } from "../dashboard/texts/en";
import { es as dashboard } from "../dashboard/texts/es";
import { en as recordsInEnglish } from "../einvoice/texts/en";
import { es as records } from "../einvoice/texts/es";
import { catalogues, forms } from "./catalogues";
import { quarterNumber } from "./days";
import { sayIn } from "./define";
import { chooseLanguage } from "./language";

const LANGUAGES = ["es", "en"] as const;

/** Wordings that people stumbled over, and what is said instead. */
const GIVEN_UP: readonly (readonly [RegExp, string])[] = [
  [/[{}\w]\.º trimestre|(?<!Uno\.)1\.º|3\.º/, "1.er, 3.er trimestre"],
  [/^Solo si: |^Only if: /, "Solo…"],
  [/carácter de control no cuadra|Agencia Tributaria no conoce otro/, "la letra no corresponde al número"],
  [/10[  .]?000 contraseñas/, "esa contraseña es muy común"],
  [/\b[Ee]l habitual\b|the usual one\b/i, "which one it is"],
  [/^El tuyo$|^Your own$/, "España"],
  [/^Anotar un cobro$|\b[Aa]puntar|\b[Aa]puntad[ao]\b/, "Registrar"],
  [/^Entrar una |^Take in a /, "Registrar una factura de proveedor"],
  [/[Hh]acer nueva|hazlas nuevas|\banew\b.*\bkey\b|\bkey anew\b/, "Regenerar"],
  [/^Elegir las de|No elegir ninguna/, "Seleccionar esta página, Quitar selección"],
  [/(^|\. )(Vacío|Empty)(:| si| if)/, "Si lo dejas vacío, …"],
  [/otra persona con poderes|somebody else with powers/, "el certificado es de un representante"],
  [/Lo que sigue de esta|What follows from this box/, "las casillas que dependen de esta"],
  [/cuando vuelva y lo pidas|back and you ask for it/, "vuelve a guardar al recuperar la conexión"],
  [/^Pendientes$|^Backlog$/, "Ideas"],
  [/^Por defecto |by default\.$/, "Si lo dejas vacío, …"],
  [/\b[Ss]ellad[ao]$|\b[Rr]ecord sealed\b/, "registro VERI*FACTU creado"],
  [/^Contexto( del negocio)?$|^(Business c|C)ontext$/, "Instrucciones para asistentes"],
];

/** Spanish plurals after a number that is never one: lists that were cut, and units. */
const NEVER_ONE = new Set(["reports payablesCutHint", "tasks cut", "invoices inDays"]);

const SERVERS = import.meta.glob<string>("../../../src/ledgerkit/{,providers/es/}texts/{es,en}.po", {
  eager: true,
  query: "?raw",
  import: "default",
});

const all = () =>
  LANGUAGES.flatMap((language) =>
    catalogues(language).flatMap(([room, catalogue]) =>
      Object.entries(catalogue).map(([key, text]) => ({ where: `${room} ${key}`, text, language })),
    ),
  );

/** The wordings of the server's catalogues: each `msgstr` on its line. */
const served = () =>
  Object.entries(SERVERS).flatMap(([path, text]) =>
    [...text.matchAll(/^msgid "(.+)"\nmsgstr "(.*)"$/gm)].map(([, id, words]) => ({
      where: `${path.slice(path.indexOf("src"))} ${id}`,
      words: words ?? "",
    })),
  );

const told = () => [
  ...all().flatMap(({ where, text }) => forms(text).map((words) => ({ where, words }))),
  ...served(),
];

afterEach(() => chooseLanguage("es"));

it("reads every catalogue", () => {
  expect(all().length).toBeGreaterThan(2500);
  expect(served().length).toBeGreaterThan(2500);
});

it.each(GIVEN_UP)("has given up %s", (old, better) => {
  const left = told().filter(({ words }) => old.test(words));
  expect(left, `say: ${better}`).toEqual([]);
});

it("tells one from several wherever it counts", () => {
  const plural = /\{\w+\} (?!ms\b)[a-zñáéíóú]+s\b/;
  const wrong = all().filter(({ where, text, language }) => {
    if (NEVER_ONE.has(where)) return false;
    if (typeof text === "string") return language === "es" && plural.test(text);
    return /\{(count|records)\} \S+s\b/.test(text.one);
  });
  expect(wrong).toEqual([]);
});

it("counts documents and records in both languages", () => {
  const say = sayIn({ es: { ...tax, ...records }, en: { ...taxInEnglish, ...recordsInEnglish } });
  const counted = () => [
    ...[1, 2].map((count) => say("expenseCount", { count })),
    ...[1, 2].map((count) => say("invoiceCount", { count })),
    ...[1, 1000].map((count) => say("chainFine", { count, records: count, moment: "hoy" }).split(": ")[1]),
  ];
  expect(counted()).toEqual([
    "1 gasto",
    "2 gastos",
    "1 factura",
    "2 facturas",
    "1 registro, hoy.",
    "1000 registros, hoy.",
  ]);
  chooseLanguage("en");
  expect(counted()).toEqual([
    "1 expense",
    "2 expenses",
    "1 invoice",
    "2 invoices",
    "1 record, hoy.",
    "1000 records, hoy.",
  ]);
});

it("names quarters in both languages", () => {
  const say = sayIn({ es: { ...dashboard, ...tax }, en: { ...dashboardInEnglish, ...taxInEnglish } });
  const named = () => [
    periodName("Q1", 2026, say),
    periodName("Q4", 2026, say),
    say("vatToPay", { quarter: quarterNumber(3) }),
    say("vatToDeduct", { quarter: quarterNumber(2) }),
  ];
  expect(named()).toEqual([
    "1.er trimestre de 2026",
    "4.º trimestre de 2026",
    "{tax} a pagar, 3.er trimestre",
    "{tax} a tu favor, 2.º trimestre",
  ]);
  chooseLanguage("en");
  expect(named()).toEqual([
    "Quarter 1 of 2026",
    "Quarter 4 of 2026",
    "{tax} to pay, quarter 3",
    "{tax} in your favour, quarter 2",
  ]);
});
