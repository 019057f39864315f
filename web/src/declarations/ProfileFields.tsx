import { ProblemError } from "../api/problem";
import { DecimalField } from "../ui/DecimalField";
import { Checkbox, DateField, Select, TextField } from "../ui/fields";
import type { ActivityDraft, ProfileDraft } from "./profile";
import { useTaxText } from "./texts";

interface Props {
  draft: ProfileDraft;
  edit: (changed: Partial<ProfileDraft>) => void;
  error: unknown;
}

const KINDS = ["A01", "A02", "A03", "A04", "A05", "B01", "B02", "B03", "B04", "B05", "C"] as const;

const refusal = (error: unknown, field: string) =>
  error instanceof ProblemError ? error.forField(field) : undefined;

export function IncomeTaxFields({ draft, edit, error }: Props) {
  const say = useTaxText();
  return (
    <div className="stack">
      <Select
        label={say("person")}
        value={draft.person}
        error={refusal(error, "person")}
        options={(["natural_person", "company"] as const).map((value) => ({ value, label: say(value) }))}
        onChange={(person) => edit({ person })}
      />
      <Select
        label={say("estimation")}
        value={draft.estimation}
        error={refusal(error, "estimation")}
        options={(["simplified", "normal", "modules"] as const).map((value) => ({
          value,
          label: say(value),
        }))}
        onChange={(estimation) => edit({ estimation })}
      />
      <DecimalField
        label={say("lastYearNetIncome")}
        hint={say("lastYearNetIncomeHint")}
        unit="€"
        error={refusal(error, "lastYearNetIncome")}
        value={draft.lastYearNetIncome}
        onChange={(lastYearNetIncome) => edit({ lastYearNetIncome })}
      />
      <Checkbox
        label={say("incomeMostlyWithheld")}
        checked={draft.incomeMostlyWithheld}
        onChange={(incomeMostlyWithheld) => edit({ incomeMostlyWithheld })}
      />
      <Checkbox
        label={say("homeLoan")}
        checked={draft.homeLoan}
        onChange={(homeLoan) => edit({ homeLoan })}
      />
    </div>
  );
}

export function VatFields({ draft, edit, error }: Props) {
  const say = useTaxText();
  return (
    <div className="stack">
      <Select
        label={say("filing")}
        value={draft.filing}
        options={(["quarterly", "monthly"] as const).map((value) => ({ value, label: say(value) }))}
        onChange={(filing) => edit({ filing })}
      />
      <Select
        label={say("prorrata")}
        value={draft.prorrata}
        options={(["none", "general", "special"] as const).map((value) => ({
          value,
          label: say(`prorrata_${value}`),
        }))}
        onChange={(prorrata) => edit({ prorrata })}
      />
      {draft.prorrata === "general" && (
        <DecimalField
          label={say("provisionalPercent")}
          unit="%"
          error={refusal(error, "provisionalPercent")}
          value={draft.provisionalPercent}
          onChange={(provisionalPercent) => edit({ provisionalPercent })}
        />
      )}
      <Checkbox
        label={say("exemptFrom390")}
        checked={draft.exemptFrom390}
        onChange={(exemptFrom390) => edit({ exemptFrom390 })}
      />
      <Checkbox
        label={say("cashAccounting")}
        checked={draft.cashAccounting}
        onChange={(cashAccounting) => edit({ cashAccounting })}
      />
      <Checkbox
        label={say("monthlyRefunds")}
        checked={draft.monthlyRefunds}
        onChange={(monthlyRefunds) => edit({ monthlyRefunds })}
      />
      <Checkbox
        label={say("surchargeRegime")}
        checked={draft.surchargeRegime}
        onChange={(surchargeRegime) => edit({ surchargeRegime })}
      />
    </div>
  );
}

export function ActivityFields({ draft, edit, error }: Props) {
  const say = useTaxText();
  const { activity } = draft;
  const change = (changed: Partial<ActivityDraft>) => edit({ activity: { ...activity, ...changed } });
  const refused = (name: string) => refusal(error, `activities[0].${name}`);
  return (
    <div className="stack">
      <Select
        label={say("activityKind")}
        value={activity.kind}
        options={KINDS.map((value) => ({ value, label: `${value} ${say(`kind_${value}`)}` }))}
        onChange={(kind) => change({ kind })}
      />
      <TextField
        label={say("iae")}
        inputMode="numeric"
        error={refused("iae")}
        value={activity.iae}
        onChange={(iae) => change({ iae })}
      />
      <TextField
        label={say("cnae")}
        inputMode="numeric"
        error={refused("cnae")}
        value={activity.cnae}
        onChange={(cnae) => change({ cnae })}
      />
      <TextField
        label={say("activityDescription")}
        maxLength={40}
        error={refused("description")}
        value={activity.description}
        onChange={(description) => change({ description })}
      />
      <DateField
        label={say("activitySince")}
        error={refused("since")}
        value={activity.since}
        onChange={(since) => change({ since })}
      />
    </div>
  );
}

export function OtherFields({ draft, edit }: Props) {
  const say = useTaxText();
  return (
    <div className="stack">
      <Select
        label={say("withholdingDate")}
        value={draft.withholdingDate}
        options={(["payment", "document"] as const).map((value) => ({ value, label: say(value) }))}
        onChange={(withholdingDate) => edit({ withholdingDate })}
      />
      <Checkbox
        label={say("declaresWithheldSales")}
        checked={draft.declaresWithheldSales}
        onChange={(declaresWithheldSales) => edit({ declaresWithheldSales })}
      />
    </div>
  );
}
