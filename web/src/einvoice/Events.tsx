import { download, type Schemas } from "../api/client";
import { useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Button } from "../ui/Button";
import { Pager, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState } from "../ui/notices";
import { Table } from "../ui/Table";
import { useEvents } from "./queries";
import { useEinvoiceText } from "./texts";

function xmlAddress({ position, installationNumber }: Schemas["FiscalEvent"]): string {
  const query = { position: String(position), installation: installationNumber };
  return `/api/einvoice/events/xml?${new URLSearchParams(query).toString()}`;
}

/** The log of events of the signed mode. */
export function Events() {
  const say = useEinvoiceText();
  const { timezone } = useTeam();
  const { page } = useFilters();
  const events = useEvents(page);
  return (
    <Loaded query={events} lines={8}>
      {(loaded) =>
        loaded.items.length === 0 ? (
          <EmptyState icon="clock" title={say("noEvents")}>
            {say("eventsHint")}
          </EmptyState>
        ) : (
          <>
            <Table
              caption={say("events")}
              rows={loaded.items}
              rowKey={(row) => row.installationNumber + row.position}
              columns={[
                { key: "event", title: say("event"), isName: true, cell: (row) => `${row.code} ${row.kind}` },
                { key: "at", title: say("at"), cell: (row) => moment(row.at, timezone) },
                { key: "place", title: say("position"), isFigure: true, cell: (row) => row.position },
                {
                  key: "xml",
                  title: say("xml"),
                  isActions: true,
                  cell: (row) => (
                    <Button
                      kind="quiet"
                      icon="download"
                      label={say("eventXml", { position: row.position })}
                      onClick={() => void download(xmlAddress(row))}
                    />
                  ),
                },
              ]}
            />
            <Pager page={loaded.page} pageSize={loaded.pageSize} total={loaded.total} />
          </>
        )
      }
    </Loaded>
  );
}
