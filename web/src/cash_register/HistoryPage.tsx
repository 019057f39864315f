import { Link } from "react-router";
import { useMay, useTeam } from "../app/session";
import { money, moment } from "../texts/formats";
import { ButtonLink } from "../ui/Button";
import { Pager, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState } from "../ui/notices";
import { Card, Page } from "../ui/page";
import { Table, type Column } from "../ui/Table";
import { useClosedRegisters, useOpenRegisters, type RegisterOverview } from "./queries";
import { useText } from "./texts";
import "./till.css";

const PAGE_SIZE = 20;

function useColumns(): Column<RegisterOverview>[] {
  const say = useText();
  const { timezone } = useTeam();
  const name = (row: RegisterOverview) =>
    row.zNumber === null ? say("stillOpen") : say("zReport", { number: row.zNumber });
  const figure = (key: string, title: string, of: (row: RegisterOverview) => number | null) => ({
    key,
    title,
    isFigure: true,
    cell: (row: RegisterOverview) => {
      const amount = of(row);
      return amount === null ? "" : money(amount, row.currency);
    },
  });
  return [
    {
      key: "name",
      title: say("report"),
      isName: true,
      cell: (row) => <Link to={`/till/${row.id}`}>{name(row)}</Link>,
    },
    { key: "person", title: say("openedBy"), cell: (row) => <bdi>{row.userName}</bdi> },
    {
      key: "opened",
      title: say("openedAt"),
      isDetail: true,
      cell: (row) => moment(row.openedAt, timezone),
    },
    { key: "closed", title: say("closedAt"), cell: (row) => moment(row.closedAt, timezone) },
    figure("sales", say("sales"), (row) => row.totals.sales),
    figure("expected", say("expected"), (row) => row.expectedAmount),
    figure("difference", say("difference"), (row) => row.difference),
  ];
}

/** Registers that are open, and those that were closed, the latest first. */
export function HistoryPage() {
  const say = useText();
  const mayUse = useMay("cash-register:use");
  const { page } = useFilters();
  const closed = useClosedRegisters(page);
  const open = useOpenRegisters();
  const columns = useColumns();
  return (
    <Page title={say("history")} actions={mayUse && <ButtonLink to="/till">{say("back")}</ButtonLink>}>
      <Loaded query={open} lines={8}>
        {({ items }) => (
          <>
            {items.length > 0 && (
              <Card title={say("openTills")}>
                <Table caption={say("openTills")} columns={columns} rows={items} rowKey={(row) => row.id} />
              </Card>
            )}
            <Loaded query={closed} lines={8}>
              {({ registers, total }) =>
                registers.length === 0 ? (
                  <EmptyState icon="shop" title={say("noHistory")} />
                ) : (
                  <>
                    <Table
                      caption={say("history")}
                      columns={columns}
                      rows={registers}
                      rowKey={(row) => row.id}
                    />
                    <Pager page={page} pageSize={PAGE_SIZE} total={total} />
                  </>
                )
              }
            </Loaded>
          </>
        )}
      </Loaded>
    </Page>
  );
}
