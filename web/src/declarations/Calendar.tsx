import { useNavigate } from "react-router";
import { useMay, useTeam } from "../app/session";
import { day } from "../texts/formats";
import { Button, ButtonLink } from "../ui/Button";
import { Select } from "../ui/fields";
import { useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState, ProblemNotice } from "../ui/notices";
import { Table, type Column } from "../ui/Table";
import { useGeneration } from "./actions";
import { FiledElsewhere } from "./Filing";
import { useCalendar, type CalendarEntry } from "./queries";
import { DueDay, State } from "./State";
import { useTaxText } from "./texts";
import { periodName } from "./words";

function useColumns(
  today: string,
  prepare: (entry: CalendarEntry) => void,
  busy: boolean,
): Column<CalendarEntry>[] {
  const say = useTaxText();
  const mayWrite = useMay("declarations:write");
  const label = (entry: CalendarEntry) => ({
    form: entry.form,
    period: periodName(entry.period, entry.year, say),
  });
  return [
    {
      key: "form",
      title: say("form"),
      isName: true,
      cell: (entry) => (
        <>
          <span className="tax-form">{entry.form}</span> {entry.name}
          {entry.onlyIf && <p className="soft tax-note">{say("onlyIf", { who: entry.onlyIf })}</p>}
        </>
      ),
    },
    { key: "period", title: say("period"), cell: (entry) => label(entry).period },
    {
      key: "due",
      title: say("due"),
      cell: (entry) => (
        <span>
          <DueDay
            date={entry.dueDate}
            today={today}
            isFiled={entry.status === "submitted"}
            isSure={entry.onlyIf === null}
          />
          {entry.directDebitDate && entry.status !== "submitted" && (
            <span className="soft tax-note">{say("directDebit", { day: day(entry.directDebitDate) })}</span>
          )}
        </span>
      ),
    },
    { key: "state", title: say("state"), cell: (entry) => <State status={entry.status} /> },
    {
      key: "action",
      title: say("open"),
      isActions: true,
      cell: (entry) =>
        entry.declarationId ? (
          <ButtonLink to={`/tax/${entry.declarationId}`} label={say("openOf", label(entry))}>
            {say("open")}
          </ButtonLink>
        ) : (
          mayWrite && (
            <Button busy={busy} aria-label={say("prepareOf", label(entry))} onClick={() => prepare(entry)}>
              {say("generateGo")}
            </Button>
          )
        ),
    },
  ];
}

function YearChoice({ year, today }: { year: number | null; today: string }) {
  const say = useTaxText();
  const { set } = useFilters();
  const thisYear = Number(today.slice(0, 4));
  const years = new Set([thisYear + 1, thisYear, thisYear - 1, thisYear - 2, thisYear - 3, year ?? thisYear]);
  return (
    <div className="tax-year">
      <Select
        label={say("year")}
        none={say("nextDays")}
        value={year === null ? "" : String(year)}
        options={[...years].map((one) => ({ value: String(one), label: String(one) }))}
        onChange={(chosen) => set({ year: chosen })}
      />
    </div>
  );
}

const entryKey = (entry: CalendarEntry) => `${entry.form}-${entry.year}-${entry.period}`;

interface EntriesProps {
  entries: readonly CalendarEntry[];
  columns: readonly Column<CalendarEntry>[];
  /** First day of what comes; null where a whole year is shown. */
  since: string | null;
}

function Entries({ entries, columns, since }: EntriesProps) {
  const say = useTaxText();
  const earlier = since === null ? [] : entries.filter((entry) => entry.dueDate < since);
  const shown = since === null ? entries : entries.filter((entry) => entry.dueDate >= since);
  if (entries.length === 0) {
    return (
      <EmptyState
        icon="calendar"
        title={say("nothingDue")}
        action={<ButtonLink to="?view=profile">{say("profile")}</ButtonLink>}
      >
        {say("nothingDueText")}
      </EmptyState>
    );
  }
  return (
    <>
      <p className="soft">{say("holidaysNote")}</p>
      <Table caption={say("upcoming")} columns={columns} rows={shown} rowKey={entryKey} />
      {earlier.length > 0 && (
        <details className="tax-earlier">
          <summary>{say("earlier", { count: earlier.length })}</summary>
          <Table
            caption={say("earlier", { count: earlier.length })}
            columns={columns}
            rows={earlier}
            rowKey={entryKey}
          />
        </details>
      )}
    </>
  );
}

/** What is due: in this year and the next days, or all of one year; in order of its days. */
export function Calendar({ today }: { today: string }) {
  const say = useTaxText();
  const navigate = useNavigate();
  const { country } = useTeam();
  const { get } = useFilters();
  const chosen = Number(get("year")) || null;
  const calendar = useCalendar(chosen, country);
  const generation = useGeneration((declaration) => void navigate(`/tax/${declaration.id}`));
  const prepare = ({ form, period, year }: CalendarEntry) =>
    generation.mutate({ country, form, period, year });
  const columns = useColumns(today, prepare, generation.isPending);
  return (
    <section className="stack" aria-label={say("calendar")}>
      <YearChoice year={chosen} today={today} />
      <FiledElsewhere />
      <ProblemNotice error={generation.error} />
      <Loaded query={calendar} lines={12}>
        {(entries) => <Entries entries={entries} columns={columns} since={chosen === null ? today : null} />}
      </Loaded>
    </section>
  );
}
