import { useState } from "react";
import { Link } from "react-router";
import { useMay } from "../app/session";
import { ImportDialog } from "../importing/ImportDialog";
import { money } from "../texts/formats";
import { Button, ButtonLink } from "../ui/Button";
import { DateField } from "../ui/fields";
import { ClearFilters, FilterTabs, Pager, SearchField, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState, Notice } from "../ui/notices";
import { Card, Page } from "../ui/page";
import { REFRESHES } from "./actions";
import { Aging } from "./Aging";
import { PayableTable } from "./PayableTable";
import { PaymentList } from "./PaymentList";
import {
  BUCKETS,
  LISTED,
  useAging,
  useAlerts,
  usePayables,
  type Bucket,
  type PayableAlerts,
} from "./queries";
import { useText } from "./texts";

const NARROWING = ["search", "vendorId", "from", "to", "dueFrom", "dueTo"] as const;
/** The tab of the payments, beside the states of invoices. */
const PAYMENTS = "payments";

function AlertList({ alerts }: { alerts: PayableAlerts }) {
  const say = useText();
  const lines = [
    { text: "alertOverdue", rows: alerts.overdue30Plus, tone: "caution" },
    { text: "alertToday", rows: alerts.dueToday, tone: "caution" },
    { text: "alertWeek", rows: alerts.dueIn7Days, tone: "info" },
  ] as const;
  const present = lines.filter((line) => line.rows.length > 0);
  if (present.length === 0) return <p className="soft">{say("noAlerts")}</p>;
  return present.map((line) => (
    <Notice key={line.text} tone={line.tone} title={say(line.text, { count: line.rows.length })}>
      <ul>
        {line.rows.slice(0, 3).map((row) => (
          <li key={row.id}>
            <Link to={`/payables/${row.id}`}>
              <bdi>{row.vendorName}</bdi>: {money(row.balance, row.currency)}
            </Link>
          </li>
        ))}
      </ul>
    </Notice>
  ));
}

function Alerts() {
  const say = useText();
  const alerts = useAlerts();
  return (
    <Card title={say("alerts")}>
      <div className="stack">
        <Loaded query={alerts} lines={3}>
          {(data) => <AlertList alerts={data} />}
        </Loaded>
      </div>
    </Card>
  );
}

function OfAge({ bucket }: { bucket: Bucket }) {
  const say = useText();
  const aging = useAging();
  return (
    <Card
      title={`${say("aging")}: ${say(`bucket_${bucket}`)}`}
      actions={<ButtonLink to="/payables">{say("seeAll")}</ButtonLink>}
    >
      <Loaded query={aging} lines={6}>
        {({ details }) => {
          const rows = details[bucket] ?? [];
          return rows.length === 0 ? (
            <p className="soft">{say("nothingOwed")}</p>
          ) : (
            <PayableTable caption={say(`bucket_${bucket}`)} rows={rows} />
          );
        }}
      </Loaded>
    </Card>
  );
}

/** Invoices by their state, and the payments made, as the address chooses. */
function Lists() {
  const say = useText();
  const isPayments = useFilters().get("status") === PAYMENTS;
  const tabs = [
    { value: "", label: say("all") },
    ...LISTED.map((value) => ({ value, label: say(`status_${value}`) })),
    { value: PAYMENTS, label: say("payments") },
  ];
  return (
    <>
      <FilterTabs label={say("status")} name="status" tabs={tabs} />
      {isPayments ? <PaymentList /> : <WholeList />}
    </>
  );
}

function WholeList() {
  const say = useText();
  const { get, set, page } = useFilters();
  const mayWrite = useMay("supplier-invoices:write");
  const filter = {
    page,
    search: get("search"),
    status: LISTED.find((status) => status === get("status")) ?? null,
    vendorId: get("vendorId"),
    dateFrom: get("from"),
    dateTo: get("to"),
    dueFrom: get("dueFrom"),
    dueTo: get("dueTo"),
  };
  const payables = usePayables(filter);
  const isFiltered = Object.entries(filter).some(([name, value]) => name !== "page" && Boolean(value));
  const add = mayWrite && !isFiltered && (
    <ButtonLink kind="primary" icon="add" to="/payables/new">
      {say("newPayable")}
    </ButtonLink>
  );
  return (
    <>
      <div className="row">
        <SearchField label={say("search")} />
        <DateField label={say("from")} value={get("from") ?? ""} onChange={(from) => set({ from })} />
        <DateField label={say("to")} value={get("to") ?? ""} onChange={(to) => set({ to })} />
        <DateField
          label={say("dueFrom")}
          value={filter.dueFrom ?? ""}
          onChange={(dueFrom) => set({ dueFrom })}
        />
        <DateField label={say("dueTo")} value={filter.dueTo ?? ""} onChange={(dueTo) => set({ dueTo })} />
        <ClearFilters names={NARROWING} />
      </div>
      <Card>
        <Loaded query={payables} lines={10}>
          {(data) =>
            data.total === 0 ? (
              <EmptyState icon="card" title={say(isFiltered ? "noMatches" : "empty")} action={add} />
            ) : (
              <>
                <PayableTable caption={say("title")} rows={data.items} />
                <Pager {...data} />
              </>
            )
          }
        </Loaded>
      </Card>
    </>
  );
}

/** What the company owes: by age, what is due soon, and all invoices of vendors. */
export function PayableList() {
  const say = useText();
  const { get } = useFilters();
  const mayWrite = useMay("supplier-invoices:write");
  const [isImporting, setImporting] = useState(false);
  const bucket = BUCKETS.find((bucket) => bucket === get("bucket"));
  const actions = mayWrite && (
    <>
      <Button icon="upload" onClick={() => setImporting(true)}>
        {say("import")}
      </Button>
      <ButtonLink icon="camera" to="/catalog/import">
        {say("readPhoto")}
      </ButtonLink>
      <ButtonLink kind="primary" icon="add" to="/payables/new">
        {say("newPayable")}
      </ButtonLink>
    </>
  );
  return (
    <Page title={say("title")} actions={actions}>
      <div className="columns payables-head">
        <Aging />
        <Alerts />
      </div>
      {bucket ? <OfAge bucket={bucket} /> : <Lists />}
      {isImporting && (
        <ImportDialog
          path="/api/supplier-invoices/import"
          title={say("importTitle")}
          text={say("importText")}
          refreshes={REFRESHES}
          onClose={() => setImporting(false)}
        />
      )}
    </Page>
  );
}
