import { CopyField } from "../../ui/CopyField";
import { EmptyState, Notice, Status } from "../../ui/notices";
import { Card } from "../../ui/page";
import { useChatsText } from "../texts";
import type { Messenger } from "./queries";
import { problemOf } from "./words";

/** The guide's place among the server's documents. */
const GUIDE = "docs/es/telegram.md";

/** What it is and who sets it up, where no messenger is. */
export function NoMessenger() {
  const say = useChatsText();
  return (
    <Card title={say("messengers")}>
      <div className="stack">
        <EmptyState icon="chat" title={say("noneTitle")}>
          {say("noneWhat")}
        </EmptyState>
        <p>{say("noneOperator", { guide: GUIDE })}</p>
        <CopyField label={say("tokenSetting")} text="LEDGERKIT_TELEGRAM_TOKEN" />
        <p>{say("noneTerminal")}</p>
        <CopyField label={say("terminal")} text="ledgerkit chat" />
      </div>
    </Card>
  );
}

function MessengerEntry({ messenger }: { messenger: Messenger }) {
  const say = useChatsText();
  const problem = problemOf(messenger);
  return (
    <li className="stack">
      <p className="row">
        <strong>{messenger.title}</strong>
        {messenger.botName !== null && <bdi className="soft">{say("bot", { name: messenger.botName })}</bdi>}
        {problem === null && <Status tone="good">{say("works")}</Status>}
      </p>
      {problem !== null && <Notice tone="caution" title={say(problem, { messenger: messenger.title })} />}
    </li>
  );
}

/** The messengers of this server, each with its bot and with what it lacks. */
export function Messengers({ messengers }: { messengers: readonly Messenger[] }) {
  const say = useChatsText();
  return (
    <Card title={say("messengers")}>
      <ul className="entries">
        {messengers.map((messenger) => (
          <MessengerEntry key={messenger.name} messenger={messenger} />
        ))}
      </ul>
    </Card>
  );
}
