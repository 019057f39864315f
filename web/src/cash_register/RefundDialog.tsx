import { useState } from "react";
import { decimal, money } from "../texts/formats";
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
  onRefunded: (refund: Movement) => void;
  onClose: () => void;
}

/** Goods of a sale taken back: which units, and how the money is returned. */
export function RefundDialog({ sale, registerId, currency, onRefunded, onClose }: RefundDialogProps) {
  const say = useText();
  const [method, setMethod] = useState<Method>(sale.paymentMethod);
  const [returned, setReturned] = useState(() => sale.lineItems.map((line) => line.quantity));
  const refund = useMovement((register) => {
    const movement = register.movements.at(-1);
    if (movement) onRefunded(movement);
  });
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
        refund.mutate({ registerId, body: refundBody(sale, returned, method, say("refund")) });
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
        {isNothing && <p role="alert">{say("refundNothing")}</p>}
      </fieldset>
    </FormDialog>
  );
}
