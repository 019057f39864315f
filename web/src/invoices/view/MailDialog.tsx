import { useState } from "react";
import { download } from "../../api/client";
import { useMailLeaves } from "../../app/session";
import { Button } from "../../ui/Button";
import { FormDialog } from "../../ui/Dialog";
import { TextField } from "../../ui/fields";
import { Notice } from "../../ui/notices";
import { useSend, useSendTo } from "../actions";
import { MailWordsFields, useMailWords, type MailWords } from "../MailWords";
import { ProblemDialog } from "../ProblemDialog";
import { pdfPath, recordOf, type Invoice } from "../queries";
import { SimulatedMail, useSimulationQuestion } from "../SimulatedMail";
import { useText } from "../texts";

/** What to do where no mail leaves this server: the PDF, to be passed on by hand. */
function NoMail({ invoice }: { invoice: Invoice }) {
  const say = useText();
  const [failed, fail] = useState<unknown>(null);
  const action = (
    <Button icon="download" onClick={() => void download(pdfPath(invoice.id)).catch(fail)}>
      {say("downloadPdf")}
    </Button>
  );
  return (
    <>
      <Notice tone="caution" title={say("mailNone")} action={action}>
        <p>{say("mailNoneText")}</p>
      </Notice>
      {failed !== null && <ProblemDialog error={failed} onClose={() => fail(null)} />}
    </>
  );
}

function useSending(invoice: Invoice, words: MailWords, onClose: () => void) {
  const ofClient = invoice.client.email ?? "";
  const mayChange = recordOf(invoice) !== null;
  const [email, setEmail] = useState(ofClient);
  const send = useSend(onClose);
  const sendTo = useSendTo(onClose);
  const isOther = mayChange && email.trim() !== ofClient;
  const go = () =>
    isOther
      ? sendTo.mutate({ id: invoice.id, email: email.trim(), ...words })
      : send.mutate({ id: invoice.id, ...words });
  return { email, setEmail, mayChange, go, action: isOther ? sendTo : send };
}

/**
 * Mail an issued invoice: to the client, or to another address where its record goes along.
 *
 * Says what the mail carries, whether it leaves this server at all, and asks once more before one of the simulation.
 */
export function MailDialog({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const say = useText();
  const leaves = useMailLeaves();
  const typed = useMailWords();
  const { email, setEmail, mayChange, go, action } = useSending(invoice, typed.words, onClose);
  const question = useSimulationQuestion(recordOf(invoice)?.environment);
  const submit = leaves
    ? say(question.isAsking ? "sendAnyway" : "send")
    : say(question.isAsking ? "keepAnyway" : "keepMail");
  return (
    <FormDialog
      title={say(question.isAsking && leaves ? "simulatedMailTitle" : "mailTitle")}
      submit={submit}
      busy={action.isPending}
      error={action.error}
      onSubmit={() => question.orAsk(go)}
      onClose={onClose}
    >
      {question.isAsking && <SimulatedMail />}
      {!leaves && <NoMail invoice={invoice} />}
      <p>{say("mailText")}</p>
      <p>{say("mailLink")}</p>
      <TextField
        label={say("mailTo")}
        type="email"
        hint={say(mayChange ? "mailToHint" : "mailNoOther")}
        readOnly={!mayChange}
        value={email}
        error={action.error?.forField("email") ?? action.error?.forField("client.email")}
        onChange={setEmail}
      />
      <MailWordsFields typed={typed} error={action.error} />
    </FormDialog>
  );
}
