import { useState, type FormEvent } from "react";
import { useMay } from "../../app/session";
import { Button } from "../../ui/Button";
import { Loaded } from "../../ui/Loaded";
import { ProblemNotice } from "../../ui/notices";
import { Card } from "../../ui/page";
import { toast } from "../../ui/toasts";
import { useProfileChange } from "../actions";
import { changesOf, draftOf, LISTS, type ListName, type ProfileDraft } from "./form";
import { IncomeTaxFields, ListFields, OtherFields, VatFields } from "./Fields";
import { useProfile, type Profile } from "../queries";
import { useTaxText } from "../texts";

const LIST_NAMES = Object.keys(LISTS) as ListName[];

function ProfileForm({ profile }: { profile: Profile }) {
  const say = useTaxText();
  const mayWrite = useMay("declarations:write");
  const [draft, setDraft] = useState<ProfileDraft>(() => draftOf(profile));
  const change = useProfileChange(() => toast(say("profileSaved")));
  const edit = (changed: Partial<ProfileDraft>) => setDraft({ ...draft, ...changed });
  function save(event: FormEvent): void {
    event.preventDefault();
    change.mutate(changesOf(draft, profile));
  }
  const parts = { draft, edit, error: change.error };
  return (
    <form className="stack" onSubmit={save} noValidate>
      <fieldset disabled={!mayWrite} className="columns">
        <Card title={say("incomeTax")}>
          <IncomeTaxFields {...parts} />
        </Card>
        <Card title={say("vat")}>
          <VatFields {...parts} />
        </Card>
        <Card title={say("otherForms")}>
          <OtherFields {...parts} />
        </Card>
      </fieldset>
      <fieldset disabled={!mayWrite} className="stack">
        {LIST_NAMES.map((name) => (
          <Card key={name} title={say(`${name}_title`)}>
            <ListFields {...parts} name={name} mayWrite={mayWrite} />
          </Card>
        ))}
      </fieldset>
      <ProblemNotice error={change.error} />
      {mayWrite && (
        <p>
          <Button type="submit" kind="primary" busy={change.isPending}>
            {say("save")}
          </Button>
        </p>
      )}
    </form>
  );
}

/** What the forms ask of the account beside its documents. */
export function ProfileView() {
  const profile = useProfile();
  return (
    <Loaded query={profile} lines={12}>
      {(loaded) => <ProfileForm profile={loaded} />}
    </Loaded>
  );
}
