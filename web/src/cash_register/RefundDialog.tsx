import { useState } from "react";
import type { RefundCandidate } from "../api/problem";
import { day, decimal, money } from "../texts/formats";
import { Button } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { useMovement } from "./actions";
import type { Method } from "./cart";
import { MethodChoice } from "./PaymentDialog";
import type { Movement } from "./queries";
import { refundAmount, refundBody } from "./refund";
import { useText } from "./texts";

interface RefundDialogProps {
  sale: Movement;
  /** The open register that the money comes out of. */
  registerId: string;
  currency: string;
  onRefunded: (refund: Movement, warnings: readonly string[]) => void;
  onClose: () => void;
}

interface CandidatesProps {
  candidates: readonly RefundCandidate[];
  chosen: string | null;
  currency: string;
  onChoose: (invoiceId: string) => void;
}

/** The sales that a refund may be of, where the server cannot tell. */
function Candidates({ candidates, chosen, currency, onChoose }: CandidatesProps) {
  const say = useText();
  if (candidates.length === 0) return null;
  return (
    <fieldset className="stack">
      <legend>{say("refundOfWhich")}</legend>
      {candidates.map((candidate) => (
        <label key={candidate.invoiceId} className="row">
          <input
            type="radio"
            name="candidate"
            value={candidate.invoiceId}
            checked={candidate.invoiceId === chosen}
            onChange={() => onChoose(candidate.invoiceId)}
          />
          {say("refundCandidate", {
            number: candidate.number,
            date: day(candidate.date),
            amount: money(candidate.remaining, currency),
          })}
        </label>
      ))}
    </fieldset>
  );
}

/** Goods of a sale taken back: which units, and how the money is returned. */
export function RefundDialog({ sale, registerId, currency, onRefunded, onClose }: RefundDialogProps) {
  const say = useText();
  const [method, setMethod] = useState<Method>(sale.paymentMethod);
  const [returned, setReturned] = useState(() => sale.lineItems.map((line) => line.quantity));
  const refund = useMovement((register) => {
    const movement = register.movements.at(-1);
    if (movement) onRefunded(movement, register.warnings);
  });
  const [invoiceId, setInvoiceId] = useState(sale.invoiceId);
  const candidates = refund.error?.candidates ?? [];
  const amount = refundAmount(sale, returned);
  const isNothing = Number(amount) <= 0;
  const name = sale.lineItems[0]?.description ?? sale.description;
  function set(place: number, quantity: number): void {
    const sold = sale.lineItems[place]?.quantity ?? 0;
    const within = Math.max(0, Math.min(sold, quantity));
    setReturned(returned.map((before, index) => (index === place ? within : before)));
  }
  return (
    <FormDialog
      title={say("refundTitle", { name })}
      submit={`${say("refundAction")} ${money(amount, currency)}`}
      busy={refund.isPending}
      error={refund.error}
      onSubmit={() => {
        if (isNothing) return;
        refund.mutate({
          registerId,
          body: refundBody({ ...sale, invoiceId }, returned, method, say("refund")),
        });
      }}
      onClose={onClose}
    >
      <fieldset className="stack till-touch">
        <legend>{say("refundLines")}</legend>
        {sale.lineItems.map((line, place) => (
          <div key={place} className="refund-line">
            <bdi>{line.description}</bdi>
            <div className="cart-controls">
              <Button
                icon="remove"
                label={say("less", { name: line.description })}
                onClick={() => set(place, (returned[place] ?? 0) - 1)}
              />
              <output aria-label={say("refundQuantity", { name: line.description })}>
                {decimal(returned[place] ?? 0)}
              </output>
              <Button
                icon="add"
                label={say("moreOf", { name: line.description })}
                onClick={() => set(place, (returned[place] ?? 0) + 1)}
              />
              <span className="soft">{say("ofSold", { count: decimal(line.quantity) })}</span>
            </div>
          </div>
        ))}
        <MethodChoice method={method} onChange={setMethod} />
        <Candidates candidates={candidates} chosen={invoiceId} currency={currency} onChoose={setInvoiceId} />
        {isNothing && <p role="alert">{say("refundNothing")}</p>}
      </fieldset>
    </FormDialog>
  );
}
