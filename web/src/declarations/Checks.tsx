import { Link } from "react-router";
import type { Schemas } from "../api/client";
import { useTeam } from "../app/session";
import { money } from "../texts/formats";
import { Select } from "../ui/fields";
import { useFilters } from "../ui/filters";
import { Icon, type IconName } from "../ui/Icon";
import { Loaded } from "../ui/Loaded";
import { EmptyState, Notice, Status, type Tone } from "../ui/notices";
import { Card } from "../ui/page";
import { Table } from "../ui/Table";
import { useCrossChecks, type CrossCheck } from "./queries";
import { State } from "./State";
import { useTaxText } from "./texts";
import { periodName } from "./words";

type Side = CrossCheck["left"];
type Term = Schemas["CrossCheckTerm"];

const LOOKS: Record<CrossCheck["state"], { tone: Tone | "plain"; icon: IconName }> = {
  equal: { tone: "good", icon: "check" },
  different: { tone: "bad", icon: "alert" },
  incomplete: { tone: "caution", icon: "clock" },
  not_applicable: { tone: "plain", icon: "remove" },
};
const YEARS = 5;

function CheckStatus({ state }: { state: CrossCheck["state"] }) {
  const say = useTaxText();
  const { tone, icon } = LOOKS[state];
  return (
    <Status tone={tone}>
      <Icon name={icon} /> {say(`check_${state}`)}
    </Status>
  );
}

function TermName({ term, year }: { term: Term; year: number }) {
  const say = useTaxText();
  if (term.form === null) return <>{term.name}</>;
  const name = `${term.form}, ${periodName(term.period, year, say)}`;
  return term.declarationId ? <Link to={`/tax/${term.declarationId}`}>{name}</Link> : <>{name}</>;
}

function Terms({ side, title, year }: { side: Side; title: string; year: number }) {
  const say = useTaxText();
  const { currency } = useTeam();
  const amount = (of: number | null) => (of === null ? "—" : money(of, currency));
  return (
    <Table
      caption={`${title}: ${side.name}`}
      rows={side.terms}
      rowKey={(term) => `${term.form ?? term.name}-${term.period}-${term.boxes.join()}`}
      columns={[
        {
          key: "name",
          title: side.name,
          isName: true,
          cell: (term) => <TermName term={term} year={year} />,
        },
        { key: "boxes", title: say("checkBoxes"), isDetail: true, cell: (term) => term.boxes.join(" + ") },
        { key: "state", title: say("state"), cell: (term) => term.status && <State status={term.status} /> },
        { key: "amount", title: say("evidenceAmount"), isFigure: true, cell: (term) => amount(term.amount) },
      ]}
    />
  );
}

function CheckCard({ check, year }: { check: CrossCheck; year: number }) {
  const say = useTaxText();
  const { currency } = useTeam();
  const amount = (of: number | null) => (of === null ? "—" : money(of, currency));
  const { left, right, difference } = check;
  return (
    <Card className="stack" title={check.title} actions={<CheckStatus state={check.state} />}>
      <p>
        {say("checkSides", {
          left: left.name,
          leftAmount: amount(left.amount),
          right: right.name,
          rightAmount: amount(right.amount),
        })}
        {difference !== null && <> {say("checkDifference", { amount: money(difference, currency) })}</>}
      </p>
      {check.note && <Notice tone={check.state === "different" ? "caution" : "info"}>{check.note}</Notice>}
      <details className="tax-documents">
        <summary>{say("checkTerms")}</summary>
        <Terms side={left} title={check.title} year={year} />
        <Terms side={right} title={check.title} year={year} />
        <p className="soft tax-note">{say("checkSource", { source: check.source })}</p>
      </details>
    </Card>
  );
}

function CheckList({ checks, year }: { checks: readonly CrossCheck[]; year: number }) {
  const say = useTaxText();
  const shown = checks.filter((check) => check.state !== "not_applicable");
  const others = checks.filter((check) => check.state === "not_applicable");
  return (
    <>
      {shown.length === 0 && (
        <EmptyState icon="tax" title={say("noChecks")}>
          {say("noChecksText")}
        </EmptyState>
      )}
      {shown.map((check) => (
        <CheckCard key={check.code} check={check} year={year} />
      ))}
      {shown.length > 0 && others.length > 0 && (
        <p className="soft">
          {say("checksLeftOut", { listed: others.map((other) => other.title).join("; ") })}
        </p>
      )}
    </>
  );
}

/** Sums of a year's declarations, and of the books, that have to agree. */
export function Checks({ today }: { today: string }) {
  const say = useTaxText();
  const { country } = useTeam();
  const { get, set } = useFilters();
  const thisYear = Number(today.slice(0, 4));
  const year = Number(get("year")) || thisYear;
  const checks = useCrossChecks(year, country);
  const years = new Set([...Array.from({ length: YEARS }, (_, back) => thisYear - back), year]);
  return (
    <section className="stack" aria-label={say("checks")}>
      <p>{say("checksLead")}</p>
      <div className="tax-year">
        <Select
          label={say("year")}
          value={String(year)}
          options={[...years].map((one) => ({ value: String(one), label: String(one) }))}
          onChange={(chosen) => set({ year: chosen })}
        />
      </div>
      <Loaded query={checks} lines={12}>
        {(found) => <CheckList checks={found} year={year} />}
      </Loaded>
    </section>
  );
}
