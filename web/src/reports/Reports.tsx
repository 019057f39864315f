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

function useAsked(today: string): Asked {
  const { get } = useFilters();
  const view = VIEWS.find((one) => one === get("view")) ?? "profit";
  const year = spanOf("thisYear", today);
  return {
    view,
    from: get("from") ?? year.from,
    to: get("to") ?? year.to,
    year: Number(get("year")) || Number(today.slice(0, 4)),
    quarter: Number(get("quarter")) || quarterOf(today),
    opening: get("opening") ?? "",
  };
}

function save(report: Report, view: View): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csvOf(report)], { type: "text/csv;charset=utf-8" }));
  link.download = `${view}-${report.from}-${report.to}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** What was earned, spent, collected and owed, of any period. */
export function Reports() {
  const say = useReportsText();
  const spoken = useLanguage();
  const today = todayIn(useTeam().timezone);
  const asked = useAsked(today);
  const query = useReport(asked, spoken, say);
  const report = query.data;
  return (
    <Page
      title={say("title")}
      lead={report && say("lead", { from: day(report.from), to: day(report.to) })}
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
      <PeriodChoice key={asked.view} asked={asked} today={today} />
      <Loaded query={query} lines={10}>
        {(loaded) => <ReportView report={loaded} />}
      </Loaded>
    </Page>
  );
}
