import { ButtonLink } from "../ui/Button";
import { Notice } from "../ui/notices";
import { useDashboardText } from "./texts";

/** The way back to the first run, while what an invoice needs is missing. */
export function SetUpCard() {
  const say = useDashboardText();
  return (
    <Notice
      title={say("setUp")}
      action={
        <ButtonLink kind="primary" to="/welcome">
          {say("setUpGo")}
        </ButtonLink>
      }
    >
      <p>{say("setUpText")}</p>
    </Notice>
  );
}
