import { ProblemError } from "../api/problem";
import { Select, TextField } from "../ui/fields";
import type { SupportedForm } from "./queries";
import { useTaxText } from "./texts";
import { periodName } from "./words";

export interface ChosenPeriod {
  form: string;
  year: number;
  period: string;
}

/** The quarter that ended last, of the form that most file. */
export function initialPeriod(today: string): ChosenPeriod {
  const year = Number(today.slice(0, 4));
  const quarter = Math.floor((Number(today.slice(5, 7)) - 1) / 3);
  return quarter === 0
    ? { form: "", year: year - 1, period: "Q4" }
    : { form: "", year, period: `Q${quarter}` };
}

/** The form that the choice names, else the first one of the country. */
export function formOf(forms: readonly SupportedForm[], chosen: ChosenPeriod): SupportedForm | undefined {
  return forms.find((form) => form.form === chosen.form) ?? forms[0];
}

interface Props {
  forms: readonly SupportedForm[];
  chosen: ChosenPeriod;
  onChange: (chosen: ChosenPeriod) => void;
  error: unknown;
}

/** Form, year and period, as the server offers them. */
export function FormPeriod({ forms, chosen, onChange, error }: Props) {
  const say = useTaxText();
  const form = formOf(forms, chosen);
  const refused = (field: string) => (error instanceof ProblemError ? error.forField(field) : undefined);
  function choose(code: string): void {
    const periods = forms.find((form) => form.form === code)?.periods ?? [];
    const period = periods.includes(chosen.period) ? chosen.period : (periods[0] ?? "Y");
    onChange({ ...chosen, form: code, period });
  }
  return (
    <>
      <Select
        label={say("form")}
        error={refused("form")}
        value={form?.form ?? ""}
        options={forms.map((form) => ({ value: form.form, label: `${form.form} ${form.name}` }))}
        onChange={choose}
      />
      <div className="columns">
        <TextField
          label={say("year")}
          error={refused("year")}
          inputMode="numeric"
          value={chosen.year === 0 ? "" : String(chosen.year)}
          onChange={(year) => onChange({ ...chosen, year: Number(year.replace(/\D/g, "")) })}
        />
        <Select
          label={say("period")}
          error={refused("period")}
          value={chosen.period}
          options={(form?.periods ?? []).map((period) => ({
            value: period,
            label: periodName(period, chosen.year, say),
          }))}
          onChange={(period) => onChange({ ...chosen, period })}
        />
      </div>
    </>
  );
}
