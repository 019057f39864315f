import { useState } from "react";
import { Link, Navigate } from "react-router";
import { useAction } from "../api/actions";
import { logIn } from "../api/session";
import { useSession } from "../app/session";
import { TextField } from "../ui/fields";
import { useDestination } from "./destination";
import { Entrance } from "./Entrance";
import { useText } from "./texts";

export function Login() {
  const say = useText();
  const { session, begin } = useSession();
  const destination = useDestination();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const login = useAction({ run: () => logIn(email.trim(), password), onDone: begin });
  if (session.user !== null) return <Navigate to={destination} replace />;
  return (
    <Entrance
      title={say("loginTitle")}
      submit={say("login")}
      busy={login.isPending}
      error={login.error}
      onSubmit={() => login.mutate()}
      foot={
        <>
          <a href="/forgot">{say("forgotten")}</a>
          <span>
            {say("noAccount")} <Link to="/register">{say("register")}</Link>
          </span>
        </>
      }
    >
      <TextField
        label={say("email")}
        type="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        error={login.error?.forField("email")}
      />
      <TextField
        label={say("password")}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={login.error?.forField("password")}
      />
    </Entrance>
  );
}
