import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { keyed, useAction } from "../api/actions";
import { api, impatient, take, takeRehearsal, type Schemas } from "../api/client";
import { useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Select } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { Notice, ProblemNotice } from "../ui/notices";
import { usePaused } from "../ui/paused";
import { useRemedy } from "../ui/remedies";
import { useUiText } from "../ui/texts";
import { Returns } from "./Returns";
import { useActivityName, useText } from "./texts";
import { entriesToUndo, reasonsOf, recordKey, returnsOf, type Return } from "./undoing";

type Undone = Schemas["Undone"];
type Write = Schemas["UndoneWrite"];

/** Changes that are undone at once at most, as the server has it. */
const MOST = 20;

/** Milliseconds without another choice of the number after which the server is asked. */
const PAUSE = 300;

/** The number of the last changes, or an entry whose change is undone. */
type Choice = { count: number } | { entryIds: string[] };

interface WritesProps {
  writes: readonly Write[];
  /** The fields that go back, by record: shown once, with the newest write of a record. */
  returns?: ReadonlyMap<string, readonly Return[]> | undefined;
}

function Writes({ writes, returns }: WritesProps) {
  const nameOf = useActivityName();
  const { timezone } = useTeam();
  return (
    <ul className="undo-writes">
      {writes.map((write, place) => {
        const isNewest = writes.findIndex(({ type, id }) => type === write.type && id === write.id) === place;
        const thing = nameOf("entity", write.type);
        const event = nameOf("action", write.action);
        return (
          <li key={write.entryId}>
            <bdi>{write.label ?? thing}</bdi>{" "}
            <span className="soft">
              {write.label ? `${thing}, ${event}` : event} · {moment(write.createdAt, timezone)}
            </span>
            {isNewest && <Returns returns={returns?.get(recordKey(write.type, write.id)) ?? []} />}
          </li>
        );
      })}
    </ul>
  );
}

interface AnswerProps extends Pick<WritesProps, "returns"> {
  answer: Undone;
  undone: ReactNode;
  stays: ReactNode;
}

/** What is undone, and what is not, with the server's reasons and what to do in its place. */
function Answer({ answer, returns, undone, stays }: AnswerProps) {
  const inWords = useRemedy();
  const taken = answer.entries.filter((write) => write.undone);
  return (
    <>
      {answer.note && (
        <Notice>
          <p>{answer.note}</p>
        </Notice>
      )}
      {taken.length > 0 && (
        <section>
          <h3>{undone}</h3>
          <Writes writes={taken} returns={returns} />
        </section>
      )}
      {reasonsOf(answer.entries).map(({ reason, remedy, writes }) => (
        <section key={writes[0]?.entryId}>
          <h3>{stays}</h3>
          <Writes writes={writes} />
          <Notice tone="caution" title={reason}>
            {remedy && <p>{inWords(remedy)}</p>}
          </Notice>
        </section>
      ))}
    </>
  );
}

function Outcome({ answer, onClose }: { answer: Undone; onClose: () => void }) {
  const say = useText();
  const sayUi = useUiText();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <>
      <div className="stack" ref={place} tabIndex={-1} role="status">
        {answer.calls === 0 && <p>{say("undoneNothing")}</p>}
        <Answer answer={answer} undone={say("undone")} stays={say("stayed")} />
      </div>
      <div className="dialog-foot">
        <Button kind="primary" onClick={onClose}>
          {sayUi("close")}
        </Button>
      </div>
    </>
  );
}

function HowMany({ count, onChange }: { count: number; onChange: (count: number) => void }) {
  const say = useText();
  const numbers = Array.from({ length: MOST }, (_, place) => String(place + 1));
  return (
    <>
      <p>{say("undoLead")}</p>
      <Select
        label={say("undoHowMany")}
        value={String(count)}
        options={numbers.map((number) => ({ value: number, label: number }))}
        onChange={(number) => onChange(Number(number))}
      />
    </>
  );
}

interface Props {
  /** The entry whose change is undone; the last changes where there is none. */
  entryId: string | null;
  onClose: () => void;
}

/** Shows what a dry run says would be undone, asks, undoes exactly that, and shows what came of it. */
export function UndoDialog({ entryId, onClose }: Props) {
  const say = useText();
  const sayUi = useUiText();
  const [count, setCount] = useState(1);
  const asked = usePaused(count, PAUSE);
  const choice: Choice = entryId === null ? { count: asked } : { entryIds: [entryId] };
  const undoing = useAction({
    run: (entryIds: string[], key) =>
      take(api.POST("/api/activity/undo", { body: { entryIds }, headers: keyed(key) })),
    refreshes: [[]],
  });
  const rehearsal = useQuery({
    queryKey: ["activity", "undo", choice],
    queryFn: ({ signal }) => {
      const request = { body: choice, headers: { "Dry-Run": "true" }, signal, fetch: impatient };
      return takeRehearsal(api.POST("/api/activity/undo", request));
    },
    enabled: undoing.isIdle || undoing.isError,
    networkMode: "always",
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const isWaiting = rehearsal.isFetching || asked !== count;
  const chosen = entriesToUndo(rehearsal.data?.answer.entries ?? []);
  return (
    <Dialog title={say(entryId === null ? "undoLast" : "undo")} onClose={onClose}>
      {undoing.data ? (
        <Outcome answer={undoing.data} onClose={onClose} />
      ) : (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (chosen.length > 0 && !undoing.isPending && !isWaiting) undoing.mutate(chosen);
          }}
        >
          <div className="stack">
            {entryId === null && <HowMany count={count} onChange={setCount} />}
            <div className="stack" role="status">
              <Loaded query={rehearsal}>
                {({ answer, writes }) => (
                  <Answer
                    answer={answer}
                    returns={returnsOf(writes)}
                    undone={say("wouldUndo")}
                    stays={say("wouldStay")}
                  />
                )}
              </Loaded>
            </div>
            {chosen.length > 0 && <p>{say("undoAsk")}</p>}
          </div>
          <ProblemNotice error={undoing.error} />
          <div className="dialog-foot">
            <Button onClick={onClose}>{sayUi(chosen.length > 0 ? "cancel" : "close")}</Button>
            {chosen.length > 0 && (
              <Button type="submit" kind="danger" busy={undoing.isPending || isWaiting}>
                {say("undoNow")}
              </Button>
            )}
          </div>
        </form>
      )}
    </Dialog>
  );
}
