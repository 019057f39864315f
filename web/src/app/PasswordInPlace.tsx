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

interface AskedProps {
  question: Question;
  email: string;
  /** It is answered, and goes. */
  onAnswered: (isGiven: boolean) => void;
}

function Asked({ question, email, onAnswered }: AskedProps) {
  const { begin, end } = useSession();
  const [password, setPassword] = useState("");
  const say = useAppText();
  const isProof = question.reason === "proof";
  const entry = useAction({
    run: async (typed: string): Promise<Session | null> => {
      if (!isProof) return logIn(email, typed);
      await provePassword(typed);
      return null;
    },
    onDone: (begun) => {
      if (begun !== null) begin(begun);
      onAnswered(true);
    },
  });
  return (
    <FormDialog
      title={say(isProof ? "proofNeeded" : "loginExpired")}
      submit={say("goOn")}
      busy={entry.isPending}
      error={entry.error}
      onSubmit={() => entry.mutate(password)}
      onClose={() => {
        onAnswered(false);
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

/**
 * Asks for the password over the screen, for a login that has expired or as a proof: what was typed stays as it is.
 * The login may expire while a proof is asked for: then both stand, one upon the other, and each is answered.
 */
export function PasswordInPlace() {
  const { session } = useSession();
  const [questions, setQuestions] = useState<readonly Question[]>([]);
  const email = session.user?.email ?? null;

  useEffect(() => {
    if (email === null) return undefined;
    whenPasswordIsNeeded(
      (reason) => new Promise<boolean>((answer) => setQuestions((before) => [...before, { reason, answer }])),
    );
    return () => whenPasswordIsNeeded(null);
  }, [email]);

  if (email === null) return null;
  return questions.map((question) => (
    <Asked
      key={question.reason}
      question={question}
      email={email}
      onAnswered={(isGiven) => {
        setQuestions((before) => before.filter((one) => one !== question));
        question.answer(isGiven);
      }}
    />
  ));
}
