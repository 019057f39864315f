import { keyed, useAction } from "../api/actions";
import { api, take, type Schemas } from "../api/client";
import { useMailLeaves, useSession } from "../app/session";
import { Button } from "../ui/Button";
import { Notice, ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { useText } from "./texts";

/** Whether a mail server took the test, by its answer. */
function Tried({ tried }: { tried: Schemas["MailTried"] }) {
  const say = useText();
  const email = tried.recipient;
  if (tried.deliveredTo === "smtp") return <Notice tone="good" title={say("mailSent", { email })} />;
  return <Notice tone="caution" title={say("mailInFile", { email })} />;
}

/** Mail is set up where the server runs; here one sees whether it leaves. */
export function MailSettings() {
  const say = useText();
  const email = useSession().session.user?.email ?? "";
  const leaves = useMailLeaves();
  const test = useAction({
    run: (_: undefined, key) => take(api.POST("/api/mail/test", { headers: keyed(key) })),
  });
  return (
    <Card title={say("mailSection")}>
      <div className="stack">
        <p>{say("mailLead")}</p>
        <p className="mono">LEDGERKIT_SMTP_URL, LEDGERKIT_MAIL_FROM</p>
        {!leaves && <Notice tone="caution" title={say("mailNone")} />}
        <div className="row">
          <Button kind="primary" icon="mail" busy={test.isPending} onClick={() => test.mutate(undefined)}>
            {say(leaves ? "testMail" : "testMailInFile", { email })}
          </Button>
        </div>
        <div role="status">{test.data && <Tried tried={test.data} />}</div>
        <ProblemNotice error={test.error} />
      </div>
    </Card>
  );
}
