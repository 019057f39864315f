import { money, percent } from "../texts/formats";
import { amountText, cents } from "../money/exact";
import type { Invoice, InvoicePreview } from "./queries";
import { useText, type InvoiceText } from "./texts";

export interface ShownRow {
  category: string;
  rate: string;
  base: string;
  tax: string;
  surchargeRate: string | null;
  surcharge: string;
  untaxed: string | null;
}

/** Amounts of a document, whoever computed them. Decimal text. */
export interface ShownTotals {
  rows: readonly ShownRow[];
  subtotal: string;
  retention: string;
  total: string;
}

const text = (amount: number) => amountText(cents(amount));

/** The amounts that the server computed. */
export function totalsOfInvoice(invoice: Invoice | InvoicePreview): ShownTotals {
  return {
    rows: invoice.taxBreakdown.map((row) => ({
      category: row.category,
      rate: String(row.rate),
      base: text(row.base),
      tax: text(row.amount),
      surchargeRate: row.surchargeRate === null ? null : String(row.surchargeRate),
      surcharge: text(row.surchargeAmount),
      untaxed: row.untaxedAmount === null ? null : text(row.untaxedAmount),
    })),
    subtotal: text(invoice.subtotal),
    retention: text(invoice.retentionAmount),
    total: text(invoice.total),
  };
}

function useRateName() {
  const say = useText();
  return (row: ShownRow) =>
    row.category === "standard"
      ? say("vatAt", { rate: percent(row.rate) })
      : say(`category_${row.category}` as InvoiceText);
}

function TaxRows({ row, show }: { row: ShownRow; show: (amount: string) => string }) {
  const say = useText();
  const rateName = useRateName();
  return (
    <>
      <div>
        <dt>
          {rateName(row)} <small>{say("on", { base: show(row.base) })}</small>
        </dt>
        <dd>{show(row.tax)}</dd>
      </div>
      {row.surchargeRate !== null && (
        <div>
          <dt>{say("surchargeAt", { rate: percent(row.surchargeRate) })}</dt>
          <dd>{show(row.surcharge)}</dd>
        </div>
      )}
    </>
  );
}

/** Bases and taxes by rate, the retention, and what is due. */
export function TotalsTable({
  totals,
  retentionRate,
  currency,
}: {
  totals: ShownTotals;
  retentionRate?: string;
  currency: string;
}) {
  const say = useText();
  const show = (amount: string) => money(amount, currency);
  return (
    <dl className="totals">
      <div>
        <dt>{say("subtotal")}</dt>
        <dd>{show(totals.subtotal)}</dd>
      </div>
      {totals.rows.map((row, place) => (
        <TaxRows key={place} row={row} show={show} />
      ))}
      {cents(totals.retention) !== 0n && (
        <div>
          <dt>{retentionRate ? say("retentionAt", { rate: percent(retentionRate) }) : say("retention")}</dt>
          <dd>{show(`${-cents(totals.retention) < 0n ? "-" : ""}${totals.retention.replace("-", "")}`)}</dd>
        </div>
      )}
      <div className="totals-total">
        <dt>{say("total")}</dt>
        <dd>{show(totals.total)}</dd>
      </div>
    </dl>
  );
}
