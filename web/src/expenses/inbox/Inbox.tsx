import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, take } from "../../api/client";
import { useTeam } from "../../app/session";
import { today } from "../../texts/formats";
import { Button, ButtonLink } from "../../ui/Button";
import { FileDrop } from "../../ui/files";
import { Status, type Tone } from "../../ui/notices";
import { Card, Page } from "../../ui/page";
import { toast } from "../../ui/toasts";
import { useAcceptReceipt } from "../actions";
import { useText } from "../texts";
import { acceptance, neighbour, type Entry, type Queue } from "./queue";
import { Reading } from "./Reading";
import { useQueue } from "./useQueue";
import "../expenses.css";

const TONES: Record<Entry["state"], Tone | "plain"> = {
  waiting: "plain",
  reading: "info",
  read: "caution",
  failed: "bad",
  accepted: "good",
};

function Balance() {
  const say = useText();
  const usage = useQuery({
    queryKey: ["ai", "usage"],
    queryFn: ({ signal }) => take(api.GET("/api/ai/usage", { params: { query: { limit: 1 } }, signal })),
  });
  const balance = usage.data?.balance;
  if (!balance) return null;
  return (
    <p className="soft">
      {balance.total < 0 ? say("noLimit") : say("actionsLeft", { count: balance.total })}
    </p>
  );
}

function QueueList({ queue, onChoose }: { queue: Queue; onChoose: (id: string) => void }) {
  const say = useText();
  return (
    <Card title={say("queue")}>
      <ul className="queue">
        {queue.entries.map((entry) => (
          <li key={entry.id}>
            <button
              type="button"
              aria-current={entry.id === queue.chosen || undefined}
              onClick={() => onChoose(entry.id)}
            >
              <bdi>{entry.file.name}</bdi>
              <Status tone={TONES[entry.state]}>
                {entry.state === "reading" && <span className="spinner" aria-hidden="true" />}{" "}
                {say(`state_${entry.state}`)}
              </Status>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The way through the queue by mouse or touch; the letters do the same. */
function Steps({ queue, onChoose }: { queue: Queue; onChoose: (id: string | null) => void }) {
  const say = useText();
  const before = neighbour(queue, -1);
  const after = neighbour(queue, 1);
  return (
    <div className="row">
      <Button icon="left" disabled={before === queue.chosen} onClick={() => onChoose(before)}>
        {say("previous")}
      </Button>
      <Button icon="right" disabled={after === queue.chosen} onClick={() => onChoose(after)}>
        {say("next")}
      </Button>
      <p className="soft">{say("keys")}</p>
    </div>
  );
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Letters for the hand on the keyboard: A accepts, J goes on, K goes back. */
function useLetters(letters: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      const act = letters[event.key.toLowerCase()];
      if (act && !isTyping(event)) {
        event.preventDefault();
        act();
      }
    }
    globalThis.addEventListener("keydown", press);
    return () => globalThis.removeEventListener("keydown", press);
  }, [letters]);
}

/** Receipts by photo, PDF or camera: read in turn, looked at, accepted. */
export function Inbox() {
  const say = useText();
  const { timezone } = useTeam();
  const { queue, tell } = useQueue();
  const chosen = queue.entries.find((entry) => entry.id === queue.chosen);
  const accept = useAcceptReceipt((id) => {
    toast(say("acceptedOne"));
    tell({ type: "accepted", id });
  });
  const choose = (id: string | null) => {
    if (id === null) return;
    accept.reset();
    tell({ type: "chosen", id });
  };
  useLetters({
    a: () => {
      if (chosen?.state === "read" && !accept.isPending)
        accept.mutate({ id: chosen.id, body: acceptance(chosen) });
    },
    j: () => choose(neighbour(queue, 1)),
    k: () => choose(neighbour(queue, -1)),
  });
  return (
    <Page
      title={say("inbox")}
      lead={<Balance />}
      actions={<ButtonLink to="/expenses">{say("title")}</ButtonLink>}
    >
      <FileDrop
        camera
        several
        label={say("dropReceipts")}
        accept="image/*,application/pdf"
        onFiles={(files) => tell({ type: "added", files, date: today(timezone) })}
      />
      {queue.entries.length > 0 && (
        <>
          <p className="soft">{say("inMemory")}</p>
          <QueueList queue={queue} onChoose={choose} />
          <Steps queue={queue} onChoose={choose} />
        </>
      )}
      {chosen && <Reading key={chosen.id} entry={chosen} tell={tell} accept={accept} />}
    </Page>
  );
}
