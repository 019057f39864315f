import { useState } from "react";
import { Notice } from "../ui/notices";
import { useText } from "./texts";

/** Asks once more before what belongs to the simulation is mailed: `orAsk(send)` sends only what has been asked for. */
export function useSimulationQuestion(environment: string | undefined) {
  const [isAsking, setAsking] = useState(false);
  const orAsk = (go: () => void) => (environment === "sandbox" && !isAsking ? setAsking(true) : go());
  return { isAsking, orAsk };
}

/** What somebody who gets an invoice of the simulation must know. */
export function SimulatedMail() {
  const say = useText();
  return (
    <div role="alert">
      <Notice tone="caution" title={say("simulatedMail")}>
        <p>{say("simulatedMailText")}</p>
      </Notice>
    </div>
  );
}
