import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, use, useCallback, useMemo, type ReactNode } from "react";
import { credentials } from "../api/credentials";
import { fetchSession, logOut as endLogin, type Session, type SessionTeam } from "../api/session";
import { reportTo } from "../texts/environment";
import { remembered } from "../texts/remembered";
import { clearToasts } from "../ui/toasts";
import { forgetDrafts } from "./drafts";

export const SESSION = ["session"] as const;

interface SessionState {
  session: Session;
  /** Take over what the server answered to a login. */
  begin: (session: Session) => void;
  end: () => Promise<void>;
  /** Open the books of another team, at the start of the section that is open: no screen of the first stays. */
  chooseTeam: (id: string) => Promise<void>;
  refresh: () => Promise<void>;
}

const SessionContext = createContext<SessionState | null>(null);

function carry(session: Session): Session {
  credentials.csrfToken = session.csrfToken;
  credentials.teamId = session.team?.id ?? null;
  reportTo(session.einvoice.environment);
  return session;
}

/** The session as the server knows it; the children are drawn once it is known. */
export function useSessionQuery() {
  return useQuery({
    queryKey: SESSION,
    queryFn: async ({ signal }) => {
      credentials.teamId = remembered.read("team") ?? credentials.teamId;
      return carry(await fetchSession(signal));
    },
    staleTime: Infinity,
    retry: 1,
  });
}

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  const queries = useQueryClient();
  const begin = useCallback(
    (begun: Session) => {
      const isSame = session.user !== null && session.user.id === begun.user?.id;
      if (!isSame) queries.removeQueries({ predicate: (query) => query.queryKey[0] !== SESSION[0] });
      queries.setQueryData(SESSION, carry(begun));
    },
    [queries, session.user],
  );
  const end = useCallback(async () => {
    await endLogin();
    forgetDrafts();
    clearToasts();
    remembered.write("team", null);
    // A page that never held the data is the only one that surely shows none of it, with the back button too.
    globalThis.location.replace("/login");
  }, []);
  const refresh = useCallback(async () => {
    await queries.invalidateQueries({ queryKey: SESSION });
  }, [queries]);
  const chooseTeam = useCallback(
    async (id: string) => {
      remembered.write("team", id);
      credentials.teamId = id;
      const [, section = ""] = globalThis.location.pathname.split("/");
      globalThis.history.pushState(null, "", `/${section}`);
      queries.removeQueries({ predicate: (query) => query.queryKey[0] !== SESSION[0] });
      await queries.resetQueries({ queryKey: SESSION });
    },
    [queries],
  );
  const state = useMemo(
    () => ({ session, begin, end, chooseTeam, refresh }),
    [session, begin, end, chooseTeam, refresh],
  );
  return <SessionContext value={state}>{children}</SessionContext>;
}

export function useSession(): SessionState {
  const state = use(SessionContext);
  if (state === null) throw new Error("outside of SessionProvider");
  return state;
}

/** The team whose books are open. Only within the routes that need a login. */
export function useTeam(): SessionTeam {
  const { team } = useSession().session;
  if (team === null) throw new Error("no team is open");
  return team;
}

/** Tells whether the server would let the user do it, by its own names: `useMay("invoices:issue")`. */
export function useMay(permission: string): boolean {
  return useSession().session.permissions.includes(permission);
}

/** Tells whether mails leave this server: without a mail server they are kept in files of it, and nobody gets them. */
export function useMailLeaves(): boolean {
  return useSession().session.mail.deliveredTo === "smtp";
}
