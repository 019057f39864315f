import { useQuery } from "@tanstack/react-query";
import { api, takePage, type Schemas } from "../api/client";
import { useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Pager, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState } from "../ui/notices";
import { Card } from "../ui/page";
import { Table, type Column } from "../ui/Table";
import { useActivityName, useText } from "./texts";

type Entry = Schemas["ActivityLog"];

const PAGE = 50;

function useActivity(page: number) {
  const query = { page, limit: PAGE };
  return useQuery({
    queryKey: ["activity", page],
    queryFn: ({ signal }) => takePage(api.GET("/api/invoices/activity/feed", { params: { query }, signal })),
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

/** Who did what, and through which channel. */
export function Activity() {
  const say = useText();
  const { page } = useFilters();
  const entries = useActivity(page);
  const columns = useColumns();
  return (
    <Card title={say("activitySection")}>
      <Loaded query={entries} lines={12}>
        {(data) =>
          data.items.length === 0 ? (
            <EmptyState icon="clock" title={say("noActivity")} />
          ) : (
            <>
              <Table
                caption={say("activitySection")}
                columns={columns}
                rows={data.items}
                rowKey={(entry) => entry.id}
              />
              <Pager {...data} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
