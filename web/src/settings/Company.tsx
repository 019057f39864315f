import { useState } from "react";
import { useMay, useTeam } from "../app/session";
import { Button, ButtonLink } from "../ui/Button";
import { TextField } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { EmptyState, Notice, ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { toast } from "../ui/toasts";
import { asForm, useCurrentTeam, useSaveCompany, type TeamRecord } from "./company";
import { ContactFields, DefaultFields, IdentityFields, SeriesFields } from "./CompanyFields";
import { LogoField } from "./LogoField";
import { useText } from "./texts";

function CompanyForm({ team }: { team: TeamRecord }) {
  const say = useText();
  const mayWrite = useMay("team:write");
  const [form, setForm] = useState(() => asForm(team));
  const save = useSaveCompany(true, (saved) => {
    setForm(asForm(saved));
    toast(say("saved"));
  });
  const warnings = save.data?.warnings ?? team.warnings;
  const fields = {
    form,
    refused: save.error,
    onChange: (changes: Partial<typeof form>) => setForm((before) => ({ ...before, ...changes })),
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(form);
      }}
    >
      <fieldset className="stack" disabled={!mayWrite}>
        <Card title={say("identity")}>
          <div className="stack">
            <TextField
              label={say("teamName")}
              hint={say("teamNameHint")}
              required
              value={form.name}
              onChange={(name) => fields.onChange({ name })}
              error={save.error?.forField("name")}
            />
            <IdentityFields {...fields} />
            <ContactFields {...fields} />
          </div>
        </Card>
        <Card title={say("defaults")}>
          <DefaultFields {...fields} />
        </Card>
        <Card title={say("numbersAndBank")}>
          <div className="stack">
            {warnings.length > 0 && (
              <Notice tone="caution" title={say("seriesWarning")}>
                {warnings.map((warning) => (
                  <p key={warning}>{warning}</p>
                ))}
              </Notice>
            )}
            <SeriesFields {...fields} />
          </div>
        </Card>
        <Card title={say("logo")}>
          <LogoField logo={form.logo} onChange={(logo) => fields.onChange({ logo })} />
        </Card>
      </fieldset>
      <ProblemNotice error={save.error} onRetry={() => save.mutate(form)} />
      {mayWrite ? (
        <div className="row">
          <Button type="submit" kind="primary" busy={save.isPending}>
            {say("save")}
          </Button>
        </div>
      ) : (
        <p className="soft">{say("onlyAdmins")}</p>
      )}
    </form>
  );
}

/** The company as invoices print it. */
export function Company() {
  const say = useText();
  const { isTeam } = useTeam();
  const team = useCurrentTeam(isTeam);
  if (!isTeam) {
    const action = (
      <ButtonLink kind="primary" to="/welcome">
        {say("setUp")}
      </ButtonLink>
    );
    return <EmptyState icon="settings" title={say("notSetUp")} action={action} />;
  }
  return <Loaded query={team}>{(loaded) => <CompanyForm key={loaded.id} team={loaded} />}</Loaded>;
}
