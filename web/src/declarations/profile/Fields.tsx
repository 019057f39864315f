import { ProblemError } from "../../api/problem";
import { DecimalField } from "../../ui/DecimalField";
import { Checkbox, Select, TextField } from "../../ui/fields";
import { isSingle, LISTS, type ListName, type ProfileDraft } from "./form";
import { TERRITORIES } from "./lists";
import { RowList } from "./RowList";
import { useTaxText } from "../texts";

interface Props {
  draft: ProfileDraft;
  edit: (changed: Partial<ProfileDraft>) => void;
  error: unknown;
}

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
      {draft.person !== "company" && (
        <div className="columns">
          <TextField
            label={say("surnames")}
            hint={say("surnamesHint")}
            maxLength={60}
            error={refusal(error, "surnames")}
            value={draft.surnames}
            onChange={(surnames) => edit({ surnames })}
          />
          <TextField
            label={say("firstName")}
            maxLength={20}
            error={refusal(error, "firstName")}
            value={draft.firstName}
            onChange={(firstName) => edit({ firstName })}
          />
        </div>
      )}
      <Select
        label={say("territory")}
        hint={say("territoryHint")}
        none={say("territoryByAddress")}
        value={draft.territory}
        error={refusal(error, "territory")}
        options={TERRITORIES.map(([value, label]) => ({ value, label: say(label) }))}
        onChange={(territory) => edit({ territory })}
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

interface ListProps extends Props {
  name: ListName;
  mayWrite: boolean;
}

const EMPTY: Partial<Record<ListName, Readonly<Record<string, string>>>> = {
  activities: { kind: "A05" },
  employees: { familySituation: "3", contract: "1", disability: "0" },
  leasedProperties: { situation: "1" },
};
/** Entries that the tax profile holds at most. */
const MOST: Record<ListName, number> = {
  activities: 6,
  contact: 1,
  employees: 100,
  leasedProperties: 100,
  censusChanges: 60,
  bankAbroad: 1,
};

/** One of the profile's lists. */
export function ListFields({ name, draft, edit, error, mayWrite }: ListProps) {
  const say = useTaxText();
  const at = (place: number) => (isSingle(name) ? name : `${name}[${place}]`);
  return (
    <RowList
      title={say(`${name}_one`)}
      lead={say(`${name}_lead`)}
      add={say(`${name}_add`)}
      fields={LISTS[name]}
      rows={draft[name]}
      empty={EMPTY[name] ?? {}}
      most={MOST[name]}
      mayWrite={mayWrite}
      refused={(place, field) => refusal(error, `${at(place)}.${field}`)}
      onChange={(rows) => edit({ [name]: rows })}
    />
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
