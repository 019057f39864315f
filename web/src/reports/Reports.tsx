import { saveFile } from "../api/client";
import { useTeam } from "../app/session";
import { day, today as todayIn } from "../texts/formats";
import { useLanguage } from "../texts/language";
import { Button, ButtonLink } from "../ui/Button";
import { FilterTabs, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { Page } from "../ui/page";
import { csvOf } from "./csv";
import { PeriodChoice } from "./PeriodChoice";
import { quarterOf, spanOf } from "./periods";
import { useReport, VIEWS, type Asked, type View } from "./queries";
import type { Report } from "./report";
import { ReportView } from "./ReportView";
import { useReportsText } from "./texts";
import "./reports.css";

function useAsked(): Asked {
  const { get } = useFilters();
  const { timezone, currency } = useTeam();
  const today = todayIn(timezone);
  const view = VIEWS.find((view) => view === get("view")) ?? "profit";
  const year = spanOf("thisYear", today);
  return {
    view,
    from: get("from") ?? year.from,
    to: get("to") ?? year.to,
    year: Number(get("year")) || Number(today.slice(0, 4)),
    quarter: Number(get("quarter")) || quarterOf(today),
    opening: get("opening") ?? "",
    today,
    currency,
  };
}

function save(report: Report, view: View): void {
  const days = report.from === report.to ? report.from : `${report.from}-${report.to}`;
  saveFile(new Blob([csvOf(report)], { type: "text/csv;charset=utf-8" }), `${view}-${days}.csv`);
}

function useLead(report: Report | undefined): string | undefined {
  const say = useReportsText();
  if (report === undefined) return undefined;
  const { from, to } = report;
  return from === to ? day(from) : say("lead", { from: day(from), to: day(to) });
}

/** What was earned, spent, collected and owed, of any period. */
export function Reports() {
  const say = useReportsText();
  const spoken = useLanguage();
  const asked = useAsked();
  const query = useReport(asked, spoken, say);
  const report = query.data;
  const lead = useLead(report);
  return (
    <Page
      title={say("title")}
      lead={lead}
      actions={
        <>
          {asked.view === "vat" && (
            <ButtonLink icon="tax" to="/tax">
              {say("goTax")}
            </ButtonLink>
          )}
          <Button icon="print" onClick={() => globalThis.print()}>
            {say("printIt")}
          </Button>
          <Button icon="download" disabled={!report} onClick={() => report && save(report, asked.view)}>
            {say("csv")}
          </Button>
        </>
      }
    >
      <FilterTabs
        label={say("views")}
        name="view"
        tabs={VIEWS.map((view) => ({ value: view === "profit" ? "" : view, label: say(view) }))}
      />
      <PeriodChoice key={asked.view} asked={asked} />
      <Loaded query={query} lines={10}>
        {(loaded) => <ReportView report={loaded} />}
      </Loaded>
    </Page>
  );
}
