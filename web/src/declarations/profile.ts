import type { Profile } from "./queries";

/** An activity of the census; fields that this form does not show are kept as they are. */
export interface ActivityDraft {
  kind: string;
  iae: string;
  cnae: string;
  description: string;
  since: string;
}

/** The profile while it is being typed. Amounts are decimal text. */
export interface ProfileDraft {
  person: string;
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
  activity: ActivityDraft;
}

type Fields = Readonly<Record<string, unknown>>;

const word = (value: unknown) => (value === null || value === undefined ? "" : String(value));
const activities = (profile: Profile) =>
  (Array.isArray(profile.activities) ? profile.activities : []) as Fields[];

function activityOf(fields: Fields): ActivityDraft {
  return {
    kind: word(fields.kind) || "A05",
    iae: word(fields.iae),
    cnae: word(fields.cnae),
    description: word(fields.description),
    since: word(fields.since),
  };
}

/** The form's state from what the server has. */
export function draftOf(profile: Profile): ProfileDraft {
  return {
    person: word(profile.person),
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
    activity: activityOf(activities(profile)[0] ?? {}),
  };
}

const NUMBERS: readonly (keyof ProfileDraft)[] = ["lastYearNetIncome", "provisionalPercent"];

function sent(draft: ProfileDraft, name: keyof ProfileDraft): unknown {
  const value = draft[name];
  if (value === "") return null;
  return NUMBERS.includes(name) ? Number(value) : value;
}

function activitySent(draft: ActivityDraft, before: Fields): Fields {
  const typed = Object.entries(draft).map(([name, value]) => [
    name,
    value || (name === "description" ? "" : null),
  ]);
  return { ...before, ...Object.fromEntries(typed) };
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** What a form changed: only that is sent, so that what it does not show stays. */
export function changesOf(draft: ProfileDraft, profile: Profile): Record<string, unknown> {
  const before = draftOf(profile);
  const names = (Object.keys(draft) as (keyof ProfileDraft)[]).filter((name) => name !== "activity");
  const changed = names.filter((name) => draft[name] !== before[name]);
  const changes: Record<string, unknown> = Object.fromEntries(
    changed.map((name) => [name, sent(draft, name)]),
  );
  if (isSame(draft.activity, before.activity)) return changes;
  const [main = {}, ...others] = activities(profile);
  return { ...changes, activities: [activitySent(draft.activity, main), ...others] };
}
