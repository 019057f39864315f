import { Link } from "react-router";
import { day, decimal, money } from "../texts/formats";
import { Notice, Status } from "../ui/notices";
import { Card } from "../ui/page";
import type { Overview } from "./queries";
import { useRemedy } from "../ui/remedies";
import { useDashboardText } from "./texts";

/** Supplier invoices to be paid within a week. */
export function Bills({ bills }: { bills: NonNullable<Overview["bills"]> }) {
  const say = useDashboardText();
  const dueThisWeek = `/payables?status=open&dueFrom=${bills.from}&dueTo=${bills.to}`;
  return (
    <Card
      title={say("bills")}
      actions={bills.count > 0 && <Link to={dueThisWeek}>{say("seeAll", { count: bills.count })}</Link>}
    >
      {bills.count === 0 && <p className="soft">{say("noBills")}</p>}
      <ul className="waiting">
        {bills.bills.map((bill) => (
          <li key={bill.id}>
            <Link to={`/payables/${bill.id}`}>
              <bdi>{bill.vendor ?? bill.number}</bdi>
            </Link>
            <span className="soft">{day(bill.dueDate)}</span>
            <span className="figure">{money(bill.balance, bill.currency)}</span>
          </li>
        ))}
      </ul>
      {bills.overdueCount > 0 && (
        <p>
          <Link to="/payables?status=overdue">{say("lateBills", { count: bills.overdueCount })}</Link>
        </p>
      )}
    </Card>
  );
}

/** Products of which little is left. */
export function LowStock({ lowStock }: { lowStock: NonNullable<Overview["lowStock"]> }) {
  const say = useDashboardText();
  return (
    <Card
      title={say("lowStock")}
      actions={
        lowStock.count > 0 && <Link to="/catalog?view=low">{say("seeAll", { count: lowStock.count })}</Link>
      }
    >
      {lowStock.count === 0 && <p className="soft">{say("noLowStock")}</p>}
      <ul className="waiting">
        {lowStock.items.map((item) => (
          <li key={item.id}>
            <Link to={`/catalog/${item.id}`}>
              <bdi>{item.name}</bdi>
            </Link>
            <span className="soft">
              {say("stockLeft", {
                stock: decimal(item.stock ?? 0),
                threshold: decimal(item.lowStockThreshold ?? 0),
              })}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Fiscal records that wait for the authority or for somebody. */
export function Fiscal({ fiscal }: { fiscal: NonNullable<Overview["fiscal"]> }) {
  const inWords = useRemedy();
  const say = useDashboardText();
  const isFine = fiscal.unsent === 0 && fiscal.needsAction === 0 && fiscal.troubles.length === 0;
  return (
    <Card title={say("fiscal")} actions={<Link to="/einvoice">{say("seeList")}</Link>}>
      <div className="stack">
        {isFine && (
          <p>
            <Status tone="good">{say("fiscalFine")}</Status>
          </p>
        )}
        {fiscal.needsAction > 0 && (
          <Notice
            tone="bad"
            title={
              <Link to="/einvoice?needsAction=true">{say("toMend", { count: fiscal.needsAction })}</Link>
            }
          />
        )}
        {fiscal.unsent > 0 && (
          <p>
            <Link to="/einvoice?status=pending">{say("unsent", { count: fiscal.unsent })}</Link>
          </p>
        )}
        {fiscal.troubles.map((trouble) => (
          <Notice key={trouble.kind} tone="caution" title={inWords(trouble.remedy)}>
            {trouble.message && <p>{trouble.message}</p>}
          </Notice>
        ))}
      </div>
    </Card>
  );
}
