import { keyed, useAction } from "../api/actions";
import { api, take } from "../api/client";
import { useSession } from "../app/session";
import { Button } from "../ui/Button";
import { Notice, ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { useText } from "./texts";

/** Mail is set up where the server runs; here one sees whether it leaves. */
export function MailSettings() {
  const say = useText();
  const email = useSession().session.user?.email ?? "";
  const test = useAction({
    run: (_: undefined, key) => take(api.POST("/api/mail/test", { headers: keyed(key) })),
  });
  return (
    <Card title={say("mailSection")}>
      <div className="stack">
        <p>{say("mailLead")}</p>
        <p className="mono">LEDGERKIT_SMTP_URL, LEDGERKIT_MAIL_FROM</p>
        <div className="row">
          <Button kind="primary" icon="mail" busy={test.isPending} onClick={() => test.mutate(undefined)}>
            {say("testMail", { email })}
          </Button>
        </div>
        <div role="status">
          {test.data && <Notice tone="good" title={say("mailSent", { email: test.data.recipient })} />}
        </div>
        <ProblemNotice error={test.error} />
      </div>
    </Card>
  );
}
