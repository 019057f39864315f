import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, takePage, type Schemas } from "../api/client";
import { useMay, useSession, useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Button } from "../ui/Button";
import { Pager, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState } from "../ui/notices";
import { Card } from "../ui/page";
import { Table, type Column } from "../ui/Table";
import { useActivityName, useText } from "./texts";
import { UndoDialog } from "./Undo";
import { goneOf, isOwnWrite } from "./undoing";

type Entry = Schemas["ActivityLog"];

const PAGE = 50;

function useActivity(page: number) {
  const query = { page, limit: PAGE };
  return useQuery({
    queryKey: ["activity", page],
    queryFn: ({ signal }) => takePage(api.GET("/api/activity/history", { params: { query }, signal })),
  });
}

function What({ entry }: { entry: Entry }) {
  const nameOf = useActivityName();
  const thing = nameOf("entity", entry.entityType);
  // What the authority does to a record has the same name in the log as what a person does to a proposal.
  const isOfPerson = entry.entityType === "approval" && entry.action === "rejected";
  const event = nameOf(isOfPerson ? "approval" : "action", entry.action);
  return (
    <>
      <bdi>{entry.entityLabel ?? thing}</bdi>{" "}
      <span className="soft">{entry.entityLabel ? `${thing}, ${event}` : event}</span>
    </>
  );
}

function useColumns(): Column<Entry>[] {
  const say = useText();
  const nameOf = useActivityName();
  const { timezone } = useTeam();
  return [
    { key: "when", title: say("when"), cell: (entry) => moment(entry.createdAt, timezone) },
    { key: "what", title: say("what"), isName: true, cell: (entry) => <What entry={entry} /> },
    { key: "who", title: say("who"), cell: (entry) => <bdi>{entry.userName}</bdi> },
    {
      key: "channel",
      title: say("channel"),
      isDetail: true,
      cell: (entry) => (
        <bdi>{[nameOf("channel", entry.channel), entry.client, entry.tool].filter(Boolean).join(" · ")}</bdi>
      ),
    },
  ];
}

/** The button beside what the user has written in the app, where it was not undone yet. */
function useUndoColumn(entries: readonly Entry[], onUndo: (entryId: string) => void): Column<Entry> {
  const say = useText();
  const nameOf = useActivityName();
  const userId = useSession().session.user?.id ?? "";
  const gone = goneOf(entries);
  return {
    key: "undo",
    title: say("undo"),
    isActions: true,
    cell: (entry) =>
      isOwnWrite(entry, userId) &&
      !gone.has(entry.id) && (
        <Button
          kind="quiet"
          icon="undo"
          label={say("undoEntry", { name: entry.entityLabel ?? nameOf("entity", entry.entityType) })}
          onClick={() => onUndo(entry.id)}
        />
      ),
  };
}

function Entries({ entries, onUndo }: { entries: readonly Entry[]; onUndo: (entryId: string) => void }) {
  const say = useText();
  const mayUndo = useMay("activity:undo");
  const columns = useColumns();
  const undoColumn = useUndoColumn(entries, onUndo);
  return (
    <Table
      caption={say("activitySection")}
      columns={mayUndo ? [...columns, undoColumn] : columns}
      rows={entries}
      rowKey={(entry) => entry.id}
    />
  );
}

/** What the dialog is about: an entry, or the last changes. */
type Asked = { entryId: string | null };

/** Once the dialog is closed and the button that opened it is gone, the focus goes to the screen's title. */
function useFocusAfter(asked: Asked | null): void {
  const wasAsked = useRef(false);
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (asked === null && wasAsked.current && isLost) document.querySelector<HTMLElement>("main h1")?.focus();
    wasAsked.current = asked !== null;
  }, [asked]);
}

/** Who did what, and through which channel; what the user has done in the app can be undone. */
export function Activity() {
  const say = useText();
  const { page } = useFilters();
  const entries = useActivity(page);
  const mayUndo = useMay("activity:undo");
  const [asked, setAsked] = useState<Asked | null>(null);
  useFocusAfter(asked);
  return (
    <Card
      title={say("activitySection")}
      actions={
        mayUndo && (
          <Button icon="undo" onClick={() => setAsked({ entryId: null })}>
            {say("undoLast")}
          </Button>
        )
      }
    >
      <Loaded query={entries} lines={12}>
        {(data) =>
          data.items.length === 0 ? (
            <EmptyState icon="clock" title={say("noActivity")} />
          ) : (
            <>
              <Entries entries={data.items} onUndo={(entryId) => setAsked({ entryId })} />
              <Pager {...data} />
            </>
          )
        }
      </Loaded>
      {asked && <UndoDialog {...asked} onClose={() => setAsked(null)} />}
    </Card>
  );
}
