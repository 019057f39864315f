import { useEffect, useState } from "react";
import { Button, ButtonLink } from "../../ui/Button";
import { CopyField } from "../../ui/CopyField";
import { Dialog } from "../../ui/Dialog";
import { Notice, ProblemNotice } from "../../ui/notices";
import { useChatsText } from "../texts";
import { useLinkedChats, type LinkedChat, type Messenger, type NewChat } from "./queries";
import { minutesAndSeconds, secondsUntil } from "./words";

const SECOND = 1_000;

/** Seconds until a moment, counted down. */
function useSecondsUntil(moment: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND);
    return () => clearInterval(timer);
  }, []);
  return secondsUntil(moment, now);
}

interface CodeProps {
  code: NewChat;
  messenger: Messenger;
}

/** The ways to bring a code into the chat: a link on this device, a picture for another one, and words to type. */
function Ways({ code, messenger }: CodeProps) {
  const say = useChatsText();
  const { title, botName } = messenger;
  return (
    <>
      {code.url !== null && (
        <>
          <p>{say("codeLead", { messenger: title })}</p>
          <div className="row">
            <ButtonLink kind="primary" icon="chat" to={code.url} target="_blank" rel="noreferrer">
              {say("openMessenger", { messenger: title })}
            </ButtonLink>
          </div>
        </>
      )}
      {code.qr !== null && (
        <div className="chat-qr">
          <img src={code.qr} alt={say("qr")} width={164} height={164} />
          <p className="soft">{say("qrText", { messenger: title })}</p>
        </div>
      )}
      <CopyField label={say("code")} text={code.code} />
      <p className="soft">{botName === null ? say("codeHintNoBot") : say("codeHint", { name: botName })}</p>
    </>
  );
}

interface OverProps {
  isRenewing: boolean;
  onRenew: () => void;
}

function Over({ isRenewing, onRenew }: OverProps) {
  const say = useChatsText();
  const action = (
    <Button icon="refresh" busy={isRenewing} onClick={onRenew}>
      {say("otherCode")}
    </Button>
  );
  return <Notice tone="caution" title={say("codeOver")} action={action} />;
}

interface CodeDialogProps extends CodeProps, OverProps {
  error: unknown;
  onLinked: (chat: LinkedChat) => void;
  onClose: () => void;
}

/** A code, shown until it is used or over: it notices by itself that a chat was linked with it. */
export function CodeDialog({ code, messenger, error, onLinked, onClose, ...over }: CodeDialogProps) {
  const say = useChatsText();
  const left = useSecondsUntil(code.endsAt);
  const chats = useLinkedChats(code);
  const linked = chats.data?.find(({ id }) => id === code.id);
  useEffect(() => {
    if (linked) onLinked(linked);
  }, [linked, onLinked]);
  return (
    <Dialog title={say("codeTitle", { messenger: messenger.title })} onClose={onClose}>
      <div className="stack">
        {left > 0 && <Ways code={code} messenger={messenger} />}
        <div>
          {left > 0 && <p role="timer">{say("expiresIn", { left: minutesAndSeconds(left) })}</p>}
          <div role="status">{left === 0 && <Over {...over} />}</div>
        </div>
        <ProblemNotice error={error ?? chats.error} />
      </div>
    </Dialog>
  );
}
