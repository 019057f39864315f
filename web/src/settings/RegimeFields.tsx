import { useProviders } from "../einvoice/queries";
import { day } from "../texts/formats";
import { DateField, Select } from "../ui/fields";
import { Notice } from "../ui/notices";
import { Card } from "../ui/page";
import type { ProblemError } from "../api/problem";
import type { CompanyForm, TeamRecord } from "./company";
import { useText } from "./texts";

interface Props {
  team: TeamRecord;
  form: CompanyForm;
  onChange: (changes: Partial<CompanyForm>) => void;
  refused: ProblemError | null;
}

/** Under which regime the company reports its invoices; nothing in a country that has one for all. */
export function RegimeFields({ team, form, onChange, refused }: Props) {
  const say = useText();
  const regimes = useProviders().data?.regimes ?? [];
  const chosen = regimes.find((regime) => regime.regime === form.regime);
  const nameOf = (regime: string) => regimes.find((one) => one.regime === regime)?.name ?? regime;
  if (regimes.length === 0 || team.regime === null) return null;
  const choose = (regime: string) =>
    onChange({ regime, regimeFrom: regime === team.regime ? (team.regimeFrom ?? "") : "" });
  return (
    <Card title={say("regime")}>
      <div className="stack">
        <div className="columns">
          <Select
            label={say("regimeOf")}
            value={form.regime}
            options={regimes.map((regime) => ({ value: regime.regime, label: regime.name }))}
            onChange={choose}
            error={refused?.forField("regime")}
          />
          <DateField
            label={say("regimeFrom")}
            hint={say("regimeFromHint")}
            value={form.regimeFrom}
            onChange={(regimeFrom) => onChange({ regimeFrom })}
            error={refused?.forField("regimeFrom")}
          />
        </div>
        {chosen && <p className="soft">{chosen.explanation}</p>}
        {chosen?.duty && (
          <Notice tone="caution">
            <p>{chosen.duty}</p>
          </Notice>
        )}
        {team.regimes.length > 0 && (
          <ul>
            {team.regimes.map((regime) => (
              <li key={regime.from}>
                {say("regimeSince", { day: day(regime.from), regime: nameOf(regime.regime) })}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}
