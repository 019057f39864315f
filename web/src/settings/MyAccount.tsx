import { useState } from "react";
import { keyed, useAction } from "../api/actions";
import { api, take } from "../api/client";
import { Appearance } from "../app/Preferences";
import { useMailLeaves, useSession } from "../app/session";
import { Button } from "../ui/Button";
import { TextField } from "../ui/fields";
import { Notice, ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { toast } from "../ui/toasts";
import { useText } from "./texts";

function Address() {
  const say = useText();
  const { session } = useSession();
  const leaves = useMailLeaves();
  const resend = useAction({
    run: (_: undefined, key) => take(api.POST("/auth/verify/resend", { headers: keyed(key) })),
    onDone: () => toast(say(leaves ? "verificationSent" : "verificationInFile")),
  });
  const { user } = session;
  if (user === null || user.emailVerified) return null;
  const action = (
    <Button busy={resend.isPending} onClick={() => resend.mutate(undefined)}>
      {say(leaves ? "resendVerification" : "askVerification")}
    </Button>
  );
  return (
    <>
      <Notice tone="caution" title={say("notVerified", { email: user.email })} action={action} />
      <ProblemNotice error={resend.error} />
    </>
  );
}

function Password() {
  const say = useText();
  const { refresh } = useSession();
  const [old, setOld] = useState("");
  const [chosen, setChosen] = useState("");
  const change = useAction({
    run: (body: { old: string; new: string }, key) =>
      take(api.POST("/auth/password", { body, headers: keyed(key) })),
    onDone: () => {
      setOld("");
      setChosen("");
      toast(say("passwordChanged"));
      void refresh();
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ old, new: chosen });
      }}
    >
      <TextField
        label={say("oldPassword")}
        type="password"
        autoComplete="current-password"
        value={old}
        onChange={setOld}
        error={change.error?.forField("old")}
      />
      <TextField
        label={say("newPassword")}
        hint={say("newPasswordHint")}
        type="password"
        autoComplete="new-password"
        value={chosen}
        onChange={setChosen}
        error={change.error?.forField("new")}
      />
      <ProblemNotice error={change.error} />
      <div className="row">
        <Button type="submit" kind="primary" busy={change.isPending}>
          {say("changePassword")}
        </Button>
      </div>
    </form>
  );
}

/** The person's own login, and how the app looks in this browser. */
export function MyAccount() {
  const say = useText();
  const { end } = useSession();
  const everywhere = useAction({
    run: (_: undefined, key) => take(api.POST("/auth/logout-everywhere", { headers: keyed(key) })),
    onDone: () => void end(),
  });
  return (
    <>
      <Address />
      <Card title={say("changePassword")}>
        <Password />
      </Card>
      <Card title={say("appearance")}>
        <div className="columns">
          <Appearance />
        </div>
      </Card>
      <Card title={say("logins")}>
        <div className="stack">
          <p>{say("logoutEverywhereText")}</p>
          <ProblemNotice error={everywhere.error} />
          <div className="row">
            <Button icon="leave" busy={everywhere.isPending} onClick={() => everywhere.mutate(undefined)}>
              {say("logoutEverywhere")}
            </Button>
          </div>
        </div>
      </Card>
    </>
  );
}
