import { useState } from "react";
import type { Schemas } from "../api/client";
import type { ProblemError } from "../api/problem";
import { TextArea, TextField } from "../ui/fields";
import { useText } from "./texts";

/** Words of the sender's own in the mail of an invoice, as the request takes them. */
export type MailWords = Pick<Schemas["SendInput"], "subject" | "message">;

/** What is typed of them so far: `words` leaves out what is empty, for which the server has words of its own. */
export function useMailWords() {
  const [subject, setSubject] = useState("");
  const [message, setMessage] = useState("");
  const words: MailWords = {
    ...(subject.trim() ? { subject } : {}),
    ...(message.trim() ? { message } : {}),
  };
  return { subject, setSubject, message, setMessage, words };
}

interface Props {
  typed: ReturnType<typeof useMailWords>;
  error: ProblemError | null;
}

/** Subject and message of a mail, both optional. Their bounds are those of the server. */
export function MailWordsFields({ typed, error }: Props) {
  const say = useText();
  return (
    <>
      <TextField
        label={say("mailSubject")}
        hint={say("mailSubjectHint")}
        maxLength={150}
        value={typed.subject}
        error={error?.forField("subject")}
        onChange={typed.setSubject}
      />
      <TextArea
        label={say("mailMessage")}
        hint={say("mailMessageHint")}
        rows={4}
        maxLength={2000}
        value={typed.message}
        error={error?.forField("message")}
        onChange={typed.setMessage}
      />
    </>
  );
}
