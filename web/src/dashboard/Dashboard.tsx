import { lazy, Suspense } from "react";
import { useMay, useTeam } from "../app/session";
import { ButtonLink } from "../ui/Button";
import { Loaded } from "../ui/Loaded";
import { Loading } from "../ui/notices";
import { Page } from "../ui/page";
import { Bills, Fiscal, LowStock } from "./Waiting";
import { Figures } from "./Figures";
import { OverdueInvoices } from "./OverdueInvoices";
import { useOverview, type Overview } from "./queries";
import { SetUpCard } from "./SetUpCard";
import { useDashboardText } from "./texts";
import "./dashboard.css";

const CashflowCard = lazy(async () => ({ default: (await import("./CashflowCard")).CashflowCard }));

function Parts({ overview }: { overview: Overview }) {
  const { currency, overdueInvoices, bills, lowStock, fiscal } = overview;
  return (
    <>
      <Figures overview={overview} />
      {overdueInvoices && <OverdueInvoices overdue={overdueInvoices} />}
      <div className="columns">
        {bills && <Bills bills={bills} />}
        {fiscal && <Fiscal fiscal={fiscal} />}
        {lowStock && <LowStock lowStock={lowStock} />}
      </div>
      {overview.receivable && (
        <Suspense fallback={<Loading lines={8} />}>
          <CashflowCard currency={currency} />
        </Suspense>
      )}
    </>
  );
}

/** The business today: what is owed, what is due, and what waits for somebody. */
export function Dashboard() {
  const say = useDashboardText();
  const team = useTeam();
  const mayDraft = useMay("invoices:draft");
  const overview = useOverview();
  return (
    <Page
      title={say("title")}
      actions={
        mayDraft && (
          <ButtonLink kind="primary" icon="add" to="/invoices/new">
            {say("newInvoice")}
          </ButtonLink>
        )
      }
    >
      {!team.isSetUp && <SetUpCard />}
      <Loaded query={overview} lines={12}>
        {(loaded) => <Parts overview={loaded} />}
      </Loaded>
    </Page>
  );
}
