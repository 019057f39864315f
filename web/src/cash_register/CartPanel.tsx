import { money, percent } from "../texts/formats";
import { Button } from "../ui/Button";
import { DecimalField } from "../ui/DecimalField";
import { Checkbox } from "../ui/fields";
import { Notice, ProblemNotice } from "../ui/notices";
import { readableTotals, shownTotal, type CartLine } from "./cart";
import { useText } from "./texts";
import type { CartState } from "./useCart";

interface LineProps {
  line: CartLine;
  state: CartState;
  currency: string;
}

function Line({ line, state, currency }: LineProps) {
  const say = useText();
  const { name, key, quantity } = line;
  return (
    <li className="cart-line">
      <span className="cart-name">
        <bdi>{name}</bdi>
        <strong>{shownTotal([line], state.cart.pricesIncludeTax, currency)}</strong>
      </span>
      <div className="cart-controls">
        <Button
          icon="remove"
          label={say("less", { name })}
          onClick={() => state.setQuantity(key, quantity - 1)}
        />
        <output aria-label={say("quantityOf", { name })}>{quantity}</output>
        <Button
          icon="add"
          label={say("moreOf", { name })}
          onClick={() => state.setQuantity(key, quantity + 1)}
        />
        <DecimalField
          label={say("discountOf", { name })}
          hideLabel
          placeholder={say("discount")}
          unit="%"
          value={line.discount}
          onChange={(discount) => state.setDiscount(key, discount)}
        />
        <Button
          kind="quiet"
          icon="trash"
          label={say("removeLine", { name })}
          onClick={() => state.setQuantity(key, 0)}
        />
      </div>
    </li>
  );
}

/** What is known of a sale that was sent, and what to do about it. */
function Course({ state, onReopen }: { state: CartState; onReopen: () => void }) {
  const say = useText();
  const { cart, isSending, error } = state;
  if (isSending) return <Notice title={say("charging")} />;
  const isClosed = error?.code === "REGISTER_CLOSED";
  return (
    <>
      {cart.attempt && (
        <Notice
          tone="caution"
          title={say("pendingTitle")}
          action={
            <Button kind="primary" icon="refresh" onClick={state.retry}>
              {say("retry")}
            </Button>
          }
        >
          <p>{say("pendingText")}</p>
        </Notice>
      )}
      <ProblemNotice error={error} />
      {isClosed && (
        <Notice
          tone="caution"
          title={say("closedTill")}
          action={<Button onClick={onReopen}>{say("openAnother")}</Button>}
        >
          <p>{say("closedTillText")}</p>
        </Notice>
      )}
    </>
  );
}

interface CartPanelProps {
  state: CartState;
  currency: string;
  onPay: () => void;
  onOther: () => void;
  onReopen: () => void;
  onClear: () => void;
}

/** The sale being made, with what the customer pays. */
export function CartPanel({ state, currency, onPay, onOther, onReopen, onClear }: CartPanelProps) {
  const say = useText();
  const { cart, isSending } = state;
  const totals = readableTotals(cart.lines, cart.pricesIncludeTax);
  const total = shownTotal(cart.lines, cart.pricesIncludeTax, currency);
  const isNothing = totals !== null && Number(totals.total) <= 0;
  const isLocked = cart.attempt !== null || isSending;
  return (
    <section className="card cart" aria-labelledby="cart-title">
      <div className="card-head">
        <h2 id="cart-title">{say("cart")}</h2>
        <Button icon="add" onClick={onOther} disabled={isLocked}>
          {say("otherAmount")}
        </Button>
      </div>
      <fieldset disabled={isLocked} className="stack">
        {cart.lines.length === 0 && <p className="soft">{say("cartEmpty")}</p>}
        <ul className="cart-lines">
          {cart.lines.map((line) => (
            <Line key={line.key} line={line} state={state} currency={currency} />
          ))}
        </ul>
        <Checkbox
          label={say("pricesIncludeTax")}
          checked={cart.pricesIncludeTax}
          onChange={state.setPricesIncludeTax}
        />
      </fieldset>
      <dl className="cart-totals">
        {totals?.rows
          .filter((row) => row.tax !== "0.00")
          .map((row) => (
            <div key={row.rate}>
              <dt>{say("taxLine", { rate: percent(row.rate) })}</dt>
              <dd>{money(row.tax, currency)}</dd>
            </div>
          ))}
        <div className="cart-total">
          <dt>{say("total")}</dt>
          <dd>{total}</dd>
        </div>
      </dl>
      <Course state={state} onReopen={onReopen} />
      <div className="row cart-foot">
        <Button onClick={onClear} disabled={isLocked || cart.lines.length === 0}>
          {say("clear")}
        </Button>
        <Button kind="primary" icon="cash" onClick={onPay} disabled={isLocked || isNothing}>
          {say("pay", { total })}
        </Button>
      </div>
    </section>
  );
}
