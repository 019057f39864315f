import { useState } from "react";
import { Link, Navigate } from "react-router";
import { keyed, useAction } from "../api/actions";
import { api, take } from "../api/client";
import { logIn } from "../api/session";
import { useSession } from "../app/session";
import { TextField } from "../ui/fields";
import { Entrance } from "./Entrance";
import { useText } from "./texts";

interface Newcomer {
  name: string;
  email: string;
  password: string;
}

/** Register, then log in as this browser; the key of the first answer is not kept. */
async function register(newcomer: Newcomer, key: string) {
  await take(api.POST("/auth/register", { body: newcomer, headers: keyed(key) }));
  return logIn(newcomer.email, newcomer.password);
}

export function Register() {
  const say = useText();
  const { session, begin } = useSession();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const registration = useAction({ run: register, onDone: begin });
  if (session.user !== null) return <Navigate to={session.team?.isSetUp ? "/" : "/welcome"} replace />;
  const refused = registration.error;
  return (
    <Entrance
      title={say("registerTitle")}
      submit={say("register")}
      busy={registration.isPending}
      error={refused}
      onSubmit={() => registration.mutate({ name: name.trim(), email: email.trim(), password })}
      foot={
        <span>
          {say("hasAccount")} <Link to="/login">{say("login")}</Link>
        </span>
      }
    >
      <TextField
        label={say("name")}
        hint={say("nameHint")}
        autoComplete="name"
        value={name}
        onChange={setName}
        error={refused?.forField("name")}
      />
      <TextField
        label={say("email")}
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={setEmail}
        error={refused?.forField("email")}
      />
      <TextField
        label={say("password")}
        hint={say("passwordHint")}
        type="password"
        autoComplete="new-password"
        required
        value={password}
        onChange={setPassword}
        error={refused?.forField("password")}
      />
    </Entrance>
  );
}
