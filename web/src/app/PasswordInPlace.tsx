import { useEffect, useState } from "react";
import { useAction } from "../api/actions";
import { whenLoginExpires } from "../api/credentials";
import { logIn } from "../api/session";
import { FormDialog } from "../ui/Dialog";
import { TextField } from "../ui/fields";
import { useSession } from "./session";
import { useAppText } from "./texts";

type Answer = (isLoggedIn: boolean) => void;

/** Asks for the password over the screen when the login has expired: what was typed below stays as it is. */
export function PasswordInPlace() {
  const { session, begin, end } = useSession();
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [password, setPassword] = useState("");
  const say = useAppText();
  const email = session.user?.email ?? null;

  useEffect(() => {
    if (email === null) return undefined;
    whenLoginExpires(() => new Promise<boolean>((resolve) => setAnswer(() => resolve)));
    return () => whenLoginExpires(null);
  }, [email]);

  const login = useAction({
    run: (typed: string) => logIn(email ?? "", typed),
    onDone: (begun) => {
      begin(begun);
      setPassword("");
      setAnswer(null);
      answer?.(true);
    },
  });

  if (answer === null || email === null) return null;
  return (
    <FormDialog
      title={say("loginExpired")}
      submit={say("goOn")}
      busy={login.isPending}
      error={login.error}
      onSubmit={() => login.mutate(password)}
      onClose={() => {
        answer(false);
        setAnswer(null);
        void end();
      }}
    >
      <p>{say("loginExpiredFor", { email })}</p>
      <TextField
        label={say("password")}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
      />
      <p className="soft">{say("loginExpiredCancel")}</p>
    </FormDialog>
  );
}
