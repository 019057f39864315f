import type { Schemas } from "../api/client";
import { Loaded } from "../ui/Loaded";
import { Card } from "../ui/page";
import Chart from "../ui/Chart";
import { ChartLegend } from "../ui/ChartLegend";
import { Table } from "../ui/Table";
import { money } from "../texts/formats";
import { monthName } from "../texts/days";
import { useCashflow } from "./queries";
import { useDashboardText } from "./texts";

function seriesOf(months: readonly Schemas["MonthCash"][], say: ReturnType<typeof useDashboardText>) {
  return [
    { label: say("inflow"), values: months.map((month) => month.inflow), color: "--good" },
    { label: say("outflow"), values: months.map((month) => month.outflow), color: "--bad" },
  ];
}

/** Money in and out by month: a chart, and the same figures as a table. */
export function CashflowCard({ currency }: { currency: string }) {
  const say = useDashboardText();
  const cashflow = useCashflow();
  return (
    <Card title={say("cashflow")} className="cashflow">
      <Loaded query={cashflow} lines={8}>
        {({ months }) => (
          <>
            <ChartLegend series={seriesOf(months, say)} />
            <Chart
              label={say("cashflowChart")}
              places={months.map((figures) => monthName(figures.month, "short"))}
              series={seriesOf(months, say)}
            />
            <details>
              <summary>{say("figuresTable")}</summary>
              <Table
                caption={say("cashflow")}
                rows={months}
                rowKey={(row) => row.month}
                columns={[
                  { key: "month", title: say("month"), isName: true, cell: (row) => monthName(row.month) },
                  {
                    key: "in",
                    title: say("inflow"),
                    isFigure: true,
                    cell: (row) => money(row.inflow, currency),
                  },
                  {
                    key: "out",
                    title: say("outflow"),
                    isFigure: true,
                    cell: (row) => money(row.outflow, currency),
                  },
                  { key: "net", title: say("net"), isFigure: true, cell: (row) => money(row.net, currency) },
                ]}
              />
            </details>
          </>
        )}
      </Loaded>
    </Card>
  );
}
