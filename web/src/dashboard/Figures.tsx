import type { ReactNode } from "react";
import { Link } from "react-router";
import { day, money } from "../texts/formats";
import { daysUntil, quarterNumber } from "../texts/days";
import type { Overview } from "./queries";
import { useDashboardText } from "./texts";

interface FigureProps {
  title: string;
  to: string;
  amount: string;
  tone?: "bad";
  children?: ReactNode;
}

function Figure({ title, to, amount, tone, children }: FigureProps) {
  return (
    <div className="card figure-card">
      <dt>{title}</dt>
      <dd>
        <Link to={to} className={tone ? `figure-amount figure-${tone}` : "figure-amount"}>
          {amount}
        </Link>
        {children && <div className="figure-foot">{children}</div>}
      </dd>
    </div>
  );
}

function address(path: string, query: Record<string, string>): string {
  return `${path}?${new URLSearchParams(query).toString()}`;
}

function VatFigure({
  vat,
  currency,
  today,
}: {
  vat: NonNullable<Overview["vat"]>;
  currency: string;
  today: string;
}) {
  const say = useDashboardText();
  const quarter = String(vat.quarter);
  const left = vat.dueDate ? daysUntil(vat.dueDate, today) : null;
  return (
    <Figure
      title={say(vat.balance < 0 ? "vatToDeduct" : "vatToPay", { quarter: quarterNumber(quarter) })}
      to={address("/reports", { view: "vat", year: String(vat.year), quarter })}
      amount={money(Math.abs(vat.balance), currency)}
    >
      {left !== null && (
        <Link to="/tax">
          {left === 0 ? say("dueToday") : say("dueIn", { count: left, day: day(vat.dueDate) })}
        </Link>
      )}
    </Figure>
  );
}

/** The figures of the day. Each leads to the list that it adds up. */
export function Figures({ overview }: { overview: Overview }) {
  const say = useDashboardText();
  const { currency, receivable, received, costs, vat } = overview;
  if (!receivable || !received || !costs) return null;
  const { notYetDue, overdue } = receivable;
  const month = { from: costs.from, to: costs.to };
  return (
    <dl className="figures" aria-label={say("figures")}>
      <Figure title={say("notYetDue")} to="/invoices?status=sent" amount={money(notYetDue.amount, currency)}>
        {say("invoices", { count: notYetDue.count })}
      </Figure>
      <Figure
        title={say("overdue")}
        to="/invoices?status=overdue"
        amount={money(overdue.amount, currency)}
        {...(overdue.count > 0 ? { tone: "bad" as const } : {})}
      >
        {say("invoices", { count: overdue.count })}
        {overdue.count > 0 && `, ${say("oldest", { count: overdue.oldestDays })}`}
      </Figure>
      <Figure
        title={say("received")}
        to={address("/invoices", { paidFrom: received.from, paidTo: received.to })}
        amount={money(received.amount, currency)}
      />
      <Figure
        title={say("costs")}
        to={address("/reports", { view: "profit", ...month })}
        amount={money(costs.amount, currency)}
      >
        <Link to={address("/expenses", month)}>
          {say("ofExpenses", { amount: money(costs.expenses, currency) })}
        </Link>
        <Link to={address("/payables", month)}>
          {say("ofBills", { amount: money(costs.supplierInvoices, currency) })}
        </Link>
      </Figure>
      {vat && <VatFigure vat={vat} currency={currency} today={overview.asOf} />}
    </dl>
  );
}
