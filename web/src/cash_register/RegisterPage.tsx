import { useState } from "react";
import { useParams } from "react-router";
import { useMay, useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Button, ButtonLink } from "../ui/Button";
import { Loaded } from "../ui/Loaded";
import { Card, Page } from "../ui/page";
import { CloseDialog } from "./CloseDialog";
import { Movements } from "./Movements";
import { useCurrentRegister, useRegister, type CashRegister } from "./queries";
import { useText } from "./texts";
import "./till.css";
import { ZReport } from "./ZReport";

function titleOf(register: CashRegister | undefined, say: ReturnType<typeof useText>): string {
  if (register === undefined) return say("title");
  return register.zNumber === null ? say("stillOpen") : say("zReport", { number: register.zNumber });
}

/** A register with its sums and movements: the Z report of a closed one. */
export function RegisterPage() {
  const say = useText();
  const { id = "" } = useParams();
  const { timezone } = useTeam();
  const register = useRegister(id);
  const current = useCurrentRegister();
  const mayUse = useMay("cash-register:use");
  const mayUseAny = useMay("cash-register:use-any");
  const [isClosing, setClosing] = useState(false);
  const isOpen = register.data?.status === "open";
  const mayClose = isOpen && (mayUseAny || current.data?.id === id);
  return (
    <Page
      title={titleOf(register.data, say)}
      lead={register.data && say("openedOn", { moment: moment(register.data.openedAt, timezone) })}
      actions={
        <>
          <ButtonLink to={mayUse ? "/till" : "/till/history"}>{say(mayUse ? "back" : "history")}</ButtonLink>
          <Button icon="print" onClick={() => globalThis.print()}>
            {say("print")}
          </Button>
          {mayClose && (
            <Button kind="primary" icon="lock" onClick={() => setClosing(true)}>
              {say("closeTill")}
            </Button>
          )}
        </>
      }
    >
      <Loaded query={register} lines={12}>
        {(shown) => (
          <>
            <Card title={say(isOpen ? "sumsSoFar" : "report")}>
              <ZReport register={shown} />
            </Card>
            <Card title={say("movements")}>
              <Movements register={shown} openRegisterId={mayUse ? (current.data?.id ?? null) : null} />
            </Card>
            {isClosing && (
              <CloseDialog
                register={shown}
                onClosed={() => {
                  setClosing(false);
                  void register.refetch();
                }}
                onClose={() => setClosing(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}
