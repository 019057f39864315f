import { BrowserRouter, useRoutes } from "react-router";
import { Loading, ProblemNotice } from "../ui/notices";
import { Toasts } from "../ui/toasts";
import { OfflineBanner } from "./OfflineBanner";
import { PasswordInPlace } from "./PasswordInPlace";
import { routes } from "./routes";
import { SessionProvider, useSessionQuery } from "./session";

const Screens = () => useRoutes(routes);

/** The app: the session first, then the screen that the address names. */
export function App() {
  const session = useSessionQuery();
  if (session.data === undefined) {
    return (
      <main className="alone">
        {session.isError ? (
          <ProblemNotice error={session.error} onRetry={() => void session.refetch()} />
        ) : (
          <Loading lines={3} />
        )}
      </main>
    );
  }
  return (
    <SessionProvider session={session.data}>
      <OfflineBanner />
      <BrowserRouter useTransitions={false}>
        <Screens />
      </BrowserRouter>
      <PasswordInPlace />
      <Toasts />
    </SessionProvider>
  );
}
