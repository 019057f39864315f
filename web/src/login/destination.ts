import { useSearchParams } from "react-router";

/** Where to go after the login: a path of this app, never another site (to browsers `//host` and `/\t/host` are one). */
export function useDestination(): string {
  const [parameters] = useSearchParams();
  const next = parameters.get("next") ?? "/";
  return /^\/(?![/\\])[^\p{Cc}]*$/u.test(next) ? next : "/";
}
