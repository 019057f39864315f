import type { UseQueryResult } from "@tanstack/react-query";
import type { PageOf, Schemas } from "../../api/client";
import { day, money } from "../../texts/formats";
import { Loaded } from "../../ui/Loaded";
import { Card } from "../../ui/page";
import type { Invoice } from "../queries";
import { useText, type InvoiceText } from "../texts";

export type Payment = Schemas["InvoicePayment"];

const KNOWN = ["transfer", "card", "cash", "direct_debit", "check", "other"];

function Line({ payment, currency }: { payment: Payment; currency: string }) {
  const say = useText();
  const { method } = payment;
  const name = method !== null && KNOWN.includes(method) ? say(`method_${method}` as InvoiceText) : method;
  return (
    <li>
      <span>
        {day(payment.paidAt)}
        {name && (
          <span className="soft">
            {" "}
            · <bdi>{name}</bdi>
          </span>
        )}
      </span>
      <span className="figure">{money(payment.amount, currency)}</span>
    </li>
  );
}

interface Props {
  invoice: Invoice;
  payments: UseQueryResult<PageOf<Payment>>;
}

/** What was paid, and what is owed. */
export function Payments({ invoice, payments }: Props) {
  const say = useText();
  return (
    <Card title={say("payments")}>
      <Loaded query={payments} lines={2}>
        {({ items }) => (
          <>
            {items.length === 0 && <p className="soft">{say("noPayments")}</p>}
            <ul className="entries">
              {items.map((payment) => (
                <Line key={payment.id} payment={payment} currency={invoice.currency} />
              ))}
              <li className="entries-sum">
                <span>{say("unpaidBalance")}</span>
                <span className="figure">{money(invoice.balance, invoice.currency)}</span>
              </li>
            </ul>
          </>
        )}
      </Loaded>
    </Card>
  );
}
