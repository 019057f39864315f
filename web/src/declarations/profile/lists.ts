import type { TaxText } from "../texts";
import type { RowField } from "./rows";

type Fields = readonly RowField<TaxText>[];

const KINDS = ["A01", "A02", "A03", "A04", "A05", "B01", "B02", "B03", "B04", "B05", "C"] as const;

/** Activities of the census, the main one first. */
export const ACTIVITY: Fields = [
  {
    name: "kind",
    label: "activityKind",
    kind: "choice",
    required: true,
    options: KINDS.map((kind) => [kind, `kind_${kind}`] as const),
  },
  { name: "iae", label: "iae", kind: "digits", max: 4 },
  { name: "cnae", label: "cnae", kind: "digits", max: 4 },
  { name: "description", label: "activityDescription", kind: "text", max: 40 },
  { name: "since", label: "since", kind: "day" },
  { name: "until", label: "until", kind: "day" },
];

/** Properties that are rented, as form 180 states them. */
export const PROPERTY: Fields = [
  { name: "reference", label: "propertyReference", kind: "text", max: 20, required: true },
  {
    name: "situation",
    label: "situation",
    kind: "choice",
    required: true,
    options: [
      ["1", "situation_1"],
      ["2", "situation_2"],
      ["3", "situation_3"],
      ["4", "situation_4"],
    ],
  },
  { name: "streetType", label: "streetType", kind: "text", max: 5 },
  { name: "streetName", label: "streetName", kind: "text", max: 50, required: true },
  { name: "houseNumber", label: "houseNumber", kind: "digits", max: 5 },
  { name: "stair", label: "stair", kind: "text", max: 3 },
  { name: "floor", label: "floor", kind: "text", max: 3 },
  { name: "door", label: "door", kind: "text", max: 3 },
  { name: "addressComplement", label: "addressComplement", kind: "text", max: 40 },
  { name: "municipality", label: "municipality", kind: "text", max: 30, required: true },
  { name: "municipalityCode", label: "municipalityCode", kind: "digits", max: 5 },
  { name: "postalCode", label: "postalCode", kind: "digits", max: 5 },
];

/** The person to ask about the lists, as forms 180, 190, 347 and 349 name it. */
export const CONTACT: Fields = [
  { name: "surnames", label: "surnames", kind: "text", max: 40, required: true },
  { name: "firstName", label: "firstName", kind: "text", max: 20, required: true },
  { name: "phone", label: "phone", kind: "digits", max: 9, required: true },
  { name: "email", label: "email", kind: "text", max: 50 },
];

/** Employees, as form 190 states them. */
export const EMPLOYEE: Fields = [
  { name: "taxId", label: "employeeTaxId", kind: "text", max: 20, required: true },
  { name: "birthYear", label: "birthYear", kind: "count", max: 4, required: true },
  {
    name: "familySituation",
    label: "familySituation",
    kind: "choice",
    required: true,
    options: [
      ["1", "family_1"],
      ["2", "family_2"],
      ["3", "family_3"],
    ],
  },
  { name: "spouseTaxId", label: "spouseTaxId", kind: "text", max: 20 },
  {
    name: "contract",
    label: "contract",
    kind: "choice",
    required: true,
    options: [
      ["1", "contract_1"],
      ["2", "contract_2"],
      ["3", "contract_3"],
      ["4", "contract_4"],
    ],
  },
  {
    name: "disability",
    label: "disability",
    kind: "choice",
    required: true,
    options: [
      ["0", "disability_0"],
      ["1", "disability_1"],
      ["2", "disability_2"],
      ["3", "disability_3"],
    ],
  },
  { name: "movedForWork", label: "movedForWork", kind: "truth" },
];

/** Territories by whose rules one is taxed. */
export const TERRITORIES = [
  ["common", "territory_common"],
  ["alava", "territory_alava"],
  ["gipuzkoa", "territory_gipuzkoa"],
  ["bizkaia", "territory_bizkaia"],
  ["navarra", "territory_navarra"],
  ["canarias", "territory_canarias"],
  ["ceuta", "territory_ceuta"],
  ["melilla", "territory_melilla"],
] as const;

/** Changes of the census by the day from which they hold: what is left empty stays as it was. */
export const CHANGE: Fields = [
  { name: "since", label: "since", kind: "day", required: true },
  { name: "territory", label: "territory", kind: "choice", options: TERRITORIES },
  {
    name: "estimation",
    label: "estimation",
    kind: "choice",
    options: [
      ["simplified", "simplified"],
      ["normal", "normal"],
      ["modules", "modules"],
    ],
  },
  { name: "lastYearNetIncome", label: "lastYearNetIncome", kind: "amount", mayBeUnknown: true },
  { name: "incomeMostlyWithheld", label: "incomeMostlyWithheld", kind: "truth" },
  {
    name: "filing",
    label: "filing",
    kind: "choice",
    options: [
      ["quarterly", "quarterly"],
      ["monthly", "monthly"],
    ],
  },
  {
    name: "prorrata",
    label: "prorrata",
    kind: "choice",
    options: [
      ["none", "prorrata_none"],
      ["general", "prorrata_general"],
      ["special", "prorrata_special"],
    ],
  },
  { name: "provisionalPercent", label: "provisionalPercent", kind: "percent", mayBeUnknown: true },
  { name: "exemptFrom390", label: "exemptFrom390", kind: "truth" },
  { name: "cashAccounting", label: "cashAccounting", kind: "truth" },
  { name: "monthlyRefunds", label: "monthlyRefunds", kind: "truth" },
  { name: "surchargeRegime", label: "surchargeRegime", kind: "truth" },
];

/** The bank outside Spain to which a refund goes. */
export const BANK: Fields = [
  { name: "swift", label: "swift", kind: "text", max: 11, required: true },
  { name: "name", label: "bankName", kind: "text", max: 70, required: true },
  { name: "address", label: "bankAddress", kind: "text", max: 35, required: true },
  { name: "city", label: "bankCity", kind: "text", max: 30, required: true },
  { name: "country", label: "bankCountry", kind: "country", required: true },
];
