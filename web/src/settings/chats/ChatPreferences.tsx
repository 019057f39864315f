import { useState } from "react";
import { NO_VERSION, put, type Versioned } from "../../api/client";
import { useSaving } from "../../api/saving";
import { useTeam } from "../../app/session";
import { Button } from "../../ui/Button";
import { Conflict } from "../../ui/Conflict";
import { Checkbox, Select } from "../../ui/fields";
import { Loaded } from "../../ui/Loaded";
import { ProblemNotice } from "../../ui/notices";
import { Card } from "../../ui/page";
import { toast } from "../../ui/toasts";
import { useChatsText } from "../texts";
import { fetchPreferences, PREFERENCES, usePreferences, type Preferences } from "./queries";
import { asForm, asPreferences, HOURS, LANGUAGES, type PreferencesForm } from "./words";

function Fields({ stored }: { stored: Versioned<Preferences> }) {
  const say = useChatsText();
  const { timezone } = useTeam();
  const [form, setForm] = useState(() => asForm(stored.data));
  const change = (changes: Partial<PreferencesForm>) => setForm((before) => ({ ...before, ...changes }));
  const save = useSaving<Preferences, Preferences>({
    read: stored,
    shown: asForm,
    reload: fetchPreferences,
    run: (version) => put(version ?? NO_VERSION)("/api/messaging/settings", { body: asPreferences(form) }),
    refreshes: [PREFERENCES],
    onDone: (saved) => {
      setForm(asForm(saved));
      toast(say("saved"));
    },
    onTheirs: (theirs) => setForm(asForm(theirs)),
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.save();
      }}
    >
      <p className="soft">{say("preferencesLead")}</p>
      <Checkbox
        label={say("digest")}
        hint={say("digestHint")}
        checked={form.digest}
        onChange={(digest) => change({ digest })}
      />
      {form.digest && (
        <Select
          label={say("digestHour")}
          hint={say("digestHourHint", { timezone })}
          options={HOURS}
          value={form.digestHour}
          onChange={(digestHour) => change({ digestHour })}
          error={save.error?.forField("digestHour")}
        />
      )}
      <Checkbox
        label={say("quiet")}
        hint={say("quietHint")}
        checked={form.quiet}
        onChange={(quiet) => change({ quiet })}
      />
      <Select
        label={say("language")}
        none={say("ownLanguage")}
        options={LANGUAGES}
        value={form.language}
        onChange={(language) => change({ language })}
        error={save.error?.forField("language")}
      />
      <Conflict choice={save.conflict} />
      <ProblemNotice error={save.error} onRetry={save.save} />
      <div className="row">
        <Button type="submit" kind="primary" busy={save.isPending}>
          {say("save")}
        </Button>
      </div>
    </form>
  );
}

/** What the user is sent in their chats, in the open books. */
export function ChatPreferences() {
  const say = useChatsText();
  const preferences = usePreferences();
  return (
    <Card title={say("preferences")}>
      <Loaded query={preferences} lines={8}>
        {(stored) => <Fields stored={stored} />}
      </Loaded>
    </Card>
  );
}
