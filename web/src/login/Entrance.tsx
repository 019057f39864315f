import { useEffect, type FormEvent, type ReactNode } from "react";
import { Appearance } from "../app/Preferences";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/notices";
import { useText } from "./texts";
import "./login.css";

interface EntranceProps {
  title: string;
  submit: string;
  busy: boolean;
  error: unknown;
  onSubmit: () => void;
  children: ReactNode;
  foot: ReactNode;
}

/** The frame of the screens before the login: one form, and the choice of language and theme. */
export function Entrance({ title, submit, busy, error, onSubmit, children, foot }: EntranceProps) {
  const say = useText();
  useEffect(() => {
    document.title = `${title} · ledgerkit`;
  }, [title]);
  function send(event: FormEvent): void {
    event.preventDefault();
    if (!busy) onSubmit();
  }
  return (
    <main className="entrance">
      <h1>{title}</h1>
      <p className="soft">{say("what")}</p>
      <form className="card stack" onSubmit={send} noValidate>
        {children}
        <ProblemNotice error={error} />
        <Button type="submit" kind="primary" busy={busy}>
          {submit}
        </Button>
      </form>
      <div className="entrance-foot">{foot}</div>
      <div className="entrance-appearance">
        <Appearance />
      </div>
    </main>
  );
}
