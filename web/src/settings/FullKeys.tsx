import { useState } from "react";
import { keyed, useAction } from "../api/actions";
import { api, take } from "../api/client";
import { useMay } from "../app/session";
import { Button } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { Card } from "../ui/page";
import { NewKeyDialog } from "./NewKeyDialog";
import { useText } from "./texts";

type Owner = "user" | "team";

async function renew(owner: Owner, key: string): Promise<string> {
  const headers = keyed(key);
  const renewed =
    owner === "user"
      ? await take(api.POST("/auth/regenerate-key", { headers }))
      : await take(api.POST("/api/teams/current/regenerate-key", { headers }));
  return renewed.apiKey;
}

/** The keys without scopes, one of each user and one of the team: made anew, which ends the one before. */
export function FullKeys() {
  const say = useText();
  const mayRenewTeams = useMay("team:key");
  const [asked, setAsked] = useState<Owner | null>(null);
  const [shown, setShown] = useState<string | null>(null);
  const renewal = useAction({
    run: renew,
    onDone: (key) => {
      setAsked(null);
      setShown(key);
    },
  });
  function ask(owner: Owner | null): void {
    renewal.reset();
    setAsked(owner);
  }
  return (
    <Card title={say("fullKeys")}>
      <div className="stack">
        <p className="soft">{say("fullKeysLead")}</p>
        <div className="row">
          <Button icon="refresh" onClick={() => ask("user")}>
            {say("renewUserKey")}
          </Button>
          {mayRenewTeams && (
            <Button icon="refresh" onClick={() => ask("team")}>
              {say("renewTeamKey")}
            </Button>
          )}
        </div>
      </div>
      {asked && (
        <FormDialog
          title={say(asked === "user" ? "renewUserKey" : "renewTeamKey")}
          submit={say("renewKey")}
          kind="danger"
          busy={renewal.isPending}
          error={renewal.error}
          onClose={() => ask(null)}
          onSubmit={() => renewal.mutate(asked)}
        >
          <p>{say("renewKeyText")}</p>
        </FormDialog>
      )}
      {shown && <NewKeyDialog name={say("newKey")} text={shown} onClose={() => setShown(null)} />}
    </Card>
  );
}
