import { useTeam } from "../app/session";
import { decimal, money, moment, percent } from "../texts/formats";
import type { Schemas } from "../api/client";
import type { Movement } from "./queries";
import { useText } from "./texts";

interface ReceiptProps {
  movement: Movement;
  currency: string;
  invoice: Schemas["Invoice"] | undefined;
  qr: Schemas["InvoiceQr"] | null | undefined;
}

/** The authority's QR in its legal size, with the words around it. Source: Orden HAC/1177/2024, arts. 20 and 21. */
function Qr({ qr, environment }: { qr: Schemas["InvoiceQr"]; environment: string | undefined }) {
  const say = useText(environment);
  return (
    <figure className="receipt-qr">
      <figcaption>{qr.above}</figcaption>
      <img
        src={qr.image}
        alt={say("qrAlt")}
        style={{ width: `${qr.widthMm}mm`, height: `${qr.widthMm}mm` }}
      />
      {qr.below && <p>{qr.below}</p>}
    </figure>
  );
}

function Taxes({ invoice, currency }: { invoice: Schemas["Invoice"]; currency: string }) {
  const say = useText();
  return (
    <dl className="receipt-sums">
      {invoice.taxBreakdown.map((row) => (
        <div key={`${row.category} ${row.rate}`}>
          <dt>
            {say("base", { rate: percent(row.rate) })} {money(row.base, currency)}
          </dt>
          <dd>{money(row.amount, currency)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The receipt of a sale or refund as it is printed on paper of 80 mm. */
export function Receipt({ movement, currency, invoice, qr }: ReceiptProps) {
  const say = useText();
  const team = useTeam();
  const environment = (invoice?.einvoice as Schemas["EInvoiceResult"] | null | undefined)?.environment;
  const isRefund = movement.type === "refund";
  return (
    <article className="receipt" aria-label={say("receipt")}>
      <header>
        <strong>
          <bdi>{team.company || team.name}</bdi>
        </strong>
        <span>{team.taxId}</span>
      </header>
      {environment === "sandbox" && (
        <p>
          <strong>{say("simulated")}</strong>
        </p>
      )}
      <p>
        {invoice && (
          <>
            {say(isRefund ? "creditNote" : "simplified")} {invoice.number}
            <br />
          </>
        )}
        {moment(movement.createdAt, team.timezone)}
      </p>
      <ul>
        {movement.lineItems.map((line, place) => (
          <li key={place}>
            <span>
              {decimal(line.quantity)} × <bdi>{line.description}</bdi>
              {line.discount > 0 && ` −${percent(line.discount)}`}
            </span>
            <span>{money(line.lineTotal, currency)}</span>
          </li>
        ))}
        {movement.lineItems.length === 0 && (
          <li>
            <bdi>{movement.description}</bdi>
          </li>
        )}
      </ul>
      {invoice && <Taxes invoice={invoice} currency={currency} />}
      <dl className="receipt-sums receipt-total">
        <div>
          <dt>{say(isRefund ? "refundMade" : "total")}</dt>
          <dd>{money(movement.amount, currency)}</dd>
        </div>
      </dl>
      <p>
        {say("paidBy", { method: say(movement.paymentMethod).toLowerCase() })}
        {movement.pricesIncludeTax && ` · ${say("taxIncluded")}`}
      </p>
      {qr && <Qr qr={qr} environment={environment} />}
      <p>{say("thanks")}</p>
    </article>
  );
}
