import type { Profile } from "../queries";
import { ACTIVITY, BANK, CHANGE, CONTACT, EMPLOYEE, PROPERTY } from "./lists";
import { asEntry, asRow, type Row, type RowField } from "./rows";

/** The profile while it is being typed. Amounts are decimal text. */
export interface ProfileDraft {
  person: string;
  surnames: string;
  firstName: string;
  /** Empty: that of the team's address. */
  territory: string;
  estimation: string;
  lastYearNetIncome: string;
  homeLoan: boolean;
  incomeMostlyWithheld: boolean;
  filing: string;
  exemptFrom390: boolean;
  prorrata: string;
  provisionalPercent: string;
  cashAccounting: boolean;
  monthlyRefunds: boolean;
  surchargeRegime: boolean;
  withholdingDate: string;
  declaresWithheldSales: boolean;
  activities: readonly Row[];
  leasedProperties: readonly Row[];
  censusChanges: readonly Row[];
  employees: readonly Row[];
  /** One entry at most. */
  contact: readonly Row[];
  /** One entry at most. */
  bankAbroad: readonly Row[];
}

/** The lists of the profile, and the fields of their entries. */
export const LISTS = {
  activities: ACTIVITY,
  contact: CONTACT,
  employees: EMPLOYEE,
  leasedProperties: PROPERTY,
  censusChanges: CHANGE,
  bankAbroad: BANK,
} as const satisfies Partial<Record<keyof ProfileDraft, readonly RowField[]>>;
export type ListName = keyof typeof LISTS;

/** A list that is one entry, or null, on the wire. */
export const isSingle = (name: ListName): boolean => name === "bankAbroad" || name === "contact";
const isList = (name: keyof ProfileDraft): name is ListName => name in LISTS;
const word = (value: unknown) => (value === null || value === undefined ? "" : String(value));

function rowsOf(profile: Profile, name: ListName): Row[] {
  const value = profile[name] ?? [];
  const entries = (Array.isArray(value) ? value : [value]) as Profile[];
  return entries.map((entry) => asRow(LISTS[name], entry));
}

/** The form's state from what the server has. */
export function draftOf(profile: Profile): ProfileDraft {
  return {
    person: word(profile.person),
    surnames: word(profile.surnames),
    firstName: word(profile.firstName),
    territory: word(profile.territory),
    estimation: word(profile.estimation),
    lastYearNetIncome: word(profile.lastYearNetIncome),
    homeLoan: profile.homeLoan === true,
    incomeMostlyWithheld: profile.incomeMostlyWithheld === true,
    filing: word(profile.filing),
    exemptFrom390: profile.exemptFrom390 === true,
    prorrata: word(profile.prorrata),
    provisionalPercent: word(profile.provisionalPercent),
    cashAccounting: profile.cashAccounting === true,
    monthlyRefunds: profile.monthlyRefunds === true,
    surchargeRegime: profile.surchargeRegime === true,
    withholdingDate: word(profile.withholdingDate),
    declaresWithheldSales: profile.declaresWithheldSales === true,
    activities: rowsOf(profile, "activities"),
    contact: rowsOf(profile, "contact"),
    employees: rowsOf(profile, "employees"),
    leasedProperties: rowsOf(profile, "leasedProperties"),
    censusChanges: rowsOf(profile, "censusChanges"),
    bankAbroad: rowsOf(profile, "bankAbroad"),
  };
}

const NUMBERS: readonly (keyof ProfileDraft)[] = ["lastYearNetIncome", "provisionalPercent"];

function sent(draft: ProfileDraft, name: keyof ProfileDraft): unknown {
  if (isList(name)) {
    const entries = draft[name].map((row) => asEntry(LISTS[name], row));
    return isSingle(name) ? (entries[0] ?? null) : entries;
  }
  const value = draft[name];
  if (value === "") return null;
  return NUMBERS.includes(name) ? Number(value) : value;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** What a form changed: only that is sent, so that what was changed elsewhere meanwhile stays. */
export function changesOf(draft: ProfileDraft, profile: Profile): Record<string, unknown> {
  const before = draftOf(profile);
  const names = Object.keys(draft) as (keyof ProfileDraft)[];
  const changed = names.filter((name) => !isSame(draft[name], before[name]));
  return Object.fromEntries(changed.map((name) => [name, sent(draft, name)]));
}
