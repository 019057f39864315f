import { Button, ButtonLink } from "../ui/Button";
import { EmptyState, ProblemNotice } from "../ui/notices";
import { Page } from "../ui/page";
import { useAppText } from "./texts";

export function NotFound() {
  const say = useAppText();
  return (
    <Page title={say("notFound")}>
      <EmptyState
        icon="search"
        title={say("notFoundText")}
        action={<ButtonLink to="/">{say("goHome")}</ButtonLink>}
      />
    </Page>
  );
}

/** Stands in for a screen that failed while it was drawn or loaded; the rest of the app goes on. */
export function Broken({ error }: { error: unknown }) {
  const say = useAppText();
  return (
    <Page title={say("broken")}>
      <p>{say("brokenText")}</p>
      <ProblemNotice error={error} />
      <Button kind="primary" icon="refresh" onClick={() => globalThis.location.reload()}>
        {say("reload")}
      </Button>
    </Page>
  );
}
