import { useState } from "react";
import { NO_VERSION, type Versioned } from "../api/client";
import { useSaving } from "../api/saving";
import { useMay, useSession, useTeam } from "../app/session";
import { DemonstrationInBooks } from "../first_run/DemonstrationChoice";
import { Button, ButtonLink } from "../ui/Button";
import { Conflict } from "../ui/Conflict";
import { TextField } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { EmptyState, Notice, ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { toast } from "../ui/toasts";
import { asForm, changeTeam, fetchTeam, useVersionedTeam, type TeamRecord } from "./company";
import { ContactFields, DefaultFields, IdentityFields, SeriesFields } from "./CompanyFields";
import { LogoField } from "./LogoField";
import { RegimeFields } from "./RegimeFields";
import { useText } from "./texts";

function CompanyForm({ team }: { team: Versioned<TeamRecord> }) {
  const say = useText();
  const mayWrite = useMay("team:write");
  const { refresh } = useSession();
  const [form, setForm] = useState(() => asForm(team.data));
  const [shown, setShown] = useState(team.data);
  const { warnings } = shown;
  const save = useSaving<TeamRecord, TeamRecord>({
    read: team,
    shown: asForm,
    reload: fetchTeam,
    run: (version) => changeTeam(form, version ?? NO_VERSION),
    refreshes: [["team"], ["einvoice", "providers"]],
    onDone: (saved) => {
      setForm(asForm(saved));
      setShown(saved);
      toast(say("saved"));
      void refresh();
    },
    onTheirs: (theirs) => setForm(asForm(theirs)),
  });
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
        save.save();
      }}
    >
      {warnings.length > 0 && (
        <Notice tone="caution" title={say("companyWarnings")}>
          {warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Notice>
      )}
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
        <RegimeFields team={shown} {...fields} />
        <Card title={say("defaults")}>
          <DefaultFields {...fields} />
        </Card>
        <Card title={say("numbersAndBank")}>
          <div className="stack">
            <SeriesFields {...fields} />
          </div>
        </Card>
        <Card title={say("logo")}>
          <LogoField logo={form.logo} onChange={(logo) => fields.onChange({ logo })} />
        </Card>
      </fieldset>
      <Conflict choice={save.conflict} />
      <ProblemNotice error={save.error} onRetry={save.save} />
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
  const mayWrite = useMay("team:write");
  const team = useVersionedTeam(isTeam);
  if (!isTeam) {
    const action = (
      <ButtonLink kind="primary" to="/welcome">
        {say("setUp")}
      </ButtonLink>
    );
    return <EmptyState icon="settings" title={say("notSetUp")} action={action} />;
  }
  return (
    <Loaded query={team}>
      {(loaded) => (
        <>
          <CompanyForm key={loaded.data.id} team={loaded} />
          {mayWrite && <DemonstrationInBooks />}
        </>
      )}
    </Loaded>
  );
}
