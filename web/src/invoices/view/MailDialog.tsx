import { useState } from "react";
import { FormDialog } from "../../ui/Dialog";
import { TextField } from "../../ui/fields";
import { useSend, useSendTo } from "../actions";
import { recordOf, type Invoice } from "../queries";
import { useText } from "../texts";

/** Mail an issued invoice: to the client, or to another address where its record goes along. */
export function MailDialog({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const say = useText();
  const ofClient = invoice.client.email ?? "";
  const mayChange = recordOf(invoice) !== null;
  const [email, setEmail] = useState(ofClient);
  const send = useSend(onClose);
  const sendTo = useSendTo(onClose);
  const isOther = mayChange && email.trim() !== ofClient;
  const action = isOther ? sendTo : send;
  return (
    <FormDialog
      title={say("mailTitle")}
      submit={say("send")}
      busy={action.isPending}
      error={action.error}
      onSubmit={() =>
        isOther ? sendTo.mutate({ id: invoice.id, email: email.trim() }) : send.mutate(invoice.id)
      }
      onClose={onClose}
    >
      <p>{say("mailText")}</p>
      <TextField
        label={say("mailTo")}
        type="email"
        hint={say(mayChange ? "mailToHint" : "mailNoOther")}
        readOnly={!mayChange}
        value={email}
        error={action.error?.forField("email") ?? action.error?.forField("client.email")}
        onChange={setEmail}
      />
    </FormDialog>
  );
}
