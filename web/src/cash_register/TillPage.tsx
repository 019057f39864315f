import { useNavigate } from "react-router";
import { useMay } from "../app/session";
import { ButtonLink } from "../ui/Button";
import { Loaded } from "../ui/Loaded";
import { EmptyState, Loading } from "../ui/notices";
import { Page } from "../ui/page";
import { Counter } from "./Counter";
import { OpenForm } from "./OpenForm";
import { useCurrentRegister, useUsualRate } from "./queries";
import { useText } from "./texts";
import "./till.css";

function Till() {
  const say = useText();
  const navigate = useNavigate();
  const current = useCurrentRegister();
  const usualRate = useUsualRate();
  if (current.data && usualRate.data !== undefined) {
    return (
      <Counter
        register={current.data}
        usualRate={usualRate.data}
        onClosed={(closed) => void navigate(`/till/${closed.id}`)}
        onReopen={() => void current.refetch()}
      />
    );
  }
  if (current.data === null) return <OpenForm />;
  return (
    <Page title={say("title")}>
      <Loaded query={current}>
        {() => <Loaded query={usualRate}>{() => <Loading lines={8} />}</Loaded>}
      </Loaded>
    </Page>
  );
}

/** The point of sale of who is logged in; who may only read sees the registers instead. */
export function TillPage() {
  const say = useText();
  const mayUse = useMay("cash-register:use");
  if (mayUse) return <Till />;
  return (
    <Page title={say("title")}>
      <EmptyState
        icon="shop"
        title={say("mayNot")}
        action={<ButtonLink to="/till/history">{say("history")}</ButtonLink>}
      />
    </Page>
  );
}
