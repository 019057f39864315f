import { useEffect, useState } from "react";
import { useAction } from "../api/actions";
import { whenPasswordIsNeeded, type Reason } from "../api/credentials";
import { logIn, provePassword, type Session } from "../api/session";
import { FormDialog } from "../ui/Dialog";
import { TextField } from "../ui/fields";
import { useSession } from "./session";
import { useAppText } from "./texts";

interface Question {
  reason: Reason;
  answer: (isGiven: boolean) => void;
}

/** Asks for the password over the screen, for a login that has expired or as a proof: what was typed stays as it is. */
export function PasswordInPlace() {
  const { session, begin, end } = useSession();
  const [question, setQuestion] = useState<Question | null>(null);
  const [password, setPassword] = useState("");
  const say = useAppText();
  const email = session.user?.email ?? null;

  useEffect(() => {
    if (email === null) return undefined;
    whenPasswordIsNeeded(
      (reason) => new Promise<boolean>((resolve) => setQuestion({ reason, answer: resolve })),
    );
    return () => whenPasswordIsNeeded(null);
  }, [email]);

  const entry = useAction({
    run: async (typed: string): Promise<Session | null> => {
      if (question?.reason !== "proof") return logIn(email ?? "", typed);
      await provePassword(typed);
      return null;
    },
    onDone: (begun) => {
      if (begun !== null) begin(begun);
      close(true);
    },
  });

  function close(isGiven: boolean): void {
    setPassword("");
    setQuestion(null);
    entry.reset();
    question?.answer(isGiven);
  }

  if (question === null || email === null) return null;
  const isProof = question.reason === "proof";
  return (
    <FormDialog
      title={say(isProof ? "proofNeeded" : "loginExpired")}
      submit={say("goOn")}
      busy={entry.isPending}
      error={entry.error}
      onSubmit={() => entry.mutate(password)}
      onClose={() => {
        close(false);
        if (!isProof) void end();
      }}
    >
      <p>{say(isProof ? "proofNeededFor" : "loginExpiredFor", { email })}</p>
      <TextField
        label={say("password")}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
      />
      <p className="soft">{say(isProof ? "proofNeededCancel" : "loginExpiredCancel")}</p>
    </FormDialog>
  );
}
