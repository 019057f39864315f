import { lazy, Suspense } from "react";
import { Link } from "react-router";
import { monthName } from "../texts/days";
import { decimal, money, percent } from "../texts/formats";
import { Loading } from "../ui/notices";
import { ChartLegend } from "../ui/ChartLegend";
import { Card } from "../ui/page";
import { Table } from "../ui/Table";
import type { Report, ReportTable, Value } from "./report";
import { useReportsText } from "./texts";

const Chart = lazy(() => import("../ui/Chart"));

function shown({ kind, value }: Value, currency: string): string {
  if (value === null) return "—";
  if (kind === "money") return money(value, currency);
  if (kind === "percent") return percent(value);
  return kind === "count" ? decimal(value) : String(value);
}

function Shown({ value, currency }: { value: Value; currency: string }) {
  const words = shown(value, currency);
  if (value.to !== undefined) return <Link to={value.to}>{words}</Link>;
  return value.kind === "text" ? <bdi>{words}</bdi> : words;
}

function TableCard({ table, currency }: { table: ReportTable; currency: string }) {
  const say = useReportsText();
  const columns = table.columns.map((title, place) => ({
    key: String(place),
    title,
    isName: place === 0,
    isFigure: place > 0,
    cell: (row: readonly Value[]) => <Shown value={row[place] as Value} currency={currency} />,
  }));
  const foot = table.foot?.map((value, place) => <Shown key={place} value={value} currency={currency} />);
  return (
    <Card title={table.title}>
      {table.rows.length === 0 ? (
        <p className="soft">{say("empty")}</p>
      ) : (
        <Table
          caption={table.title}
          columns={columns}
          rows={table.rows}
          rowKey={(row) => table.rows.indexOf(row).toString()}
          {...(foot ? { foot } : {})}
        />
      )}
    </Card>
  );
}

/** A report: its sums, its chart, and the tables that say the same in figures. */
export function ReportView({ report }: { report: Report }) {
  return (
    <>
      <dl className="report-facts">
        {report.facts.map(([name, value]) => (
          <div key={name} className="card">
            <dt>{name}</dt>
            <dd>
              <Shown value={value} currency={report.currency} />
            </dd>
          </div>
        ))}
      </dl>
      {report.chart && (
        <Card>
          <ChartLegend series={report.chart.series} />
          <Suspense fallback={<Loading lines={6} />}>
            <Chart
              label={report.chart.label}
              places={report.chart.months.map((month) => monthName(month, "short"))}
              series={report.chart.series}
            />
          </Suspense>
        </Card>
      )}
      {report.tables.map((table) => (
        <TableCard key={table.title} table={table} currency={report.currency} />
      ))}
      <p className="soft">{report.hint}</p>
    </>
  );
}
