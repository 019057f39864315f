import { useState } from "react";
import { amountText, cents, ifReadable } from "../money/exact";
import { money } from "../texts/formats";
import { Button } from "../ui/Button";
import { DecimalField } from "../ui/DecimalField";
import { FormDialog } from "../ui/Dialog";
import type { IconName } from "../ui/Icon";
import { Icon } from "../ui/Icon";
import { changeOf, type Method } from "./cart";
import { useText } from "./texts";

export const METHODS: readonly (readonly [Method, IconName])[] = [
  ["cash", "cash"],
  ["card", "card"],
  ["transfer", "bank"],
];
const QUICK = ["50", "20", "10", "5", "2", "1", "0.50", "0.20", "0.10", "0.05"] as const;

export function MethodChoice({ method, onChange }: { method: Method; onChange: (method: Method) => void }) {
  const say = useText();
  return (
    <fieldset className="methods">
      <legend>{say("method")}</legend>
      {METHODS.map(([value, icon]) => (
        <label key={value} className="method">
          <input
            type="radio"
            name="method"
            value={value}
            checked={method === value}
            onChange={() => onChange(value)}
          />
          <Icon name={icon} />
          {say(value)}
        </label>
      ))}
    </fieldset>
  );
}

interface CashProps {
  total: string;
  given: string;
  currency: string;
  onGiven: (given: string) => void;
}

/** Cash that the customer gives, by field or by notes and coins, and the change due. */
function Cash({ total, given, currency, onGiven }: CashProps) {
  const say = useText();
  const change = given === "" ? null : ifReadable(() => changeOf(given, total));
  const give = (value: string) =>
    onGiven(ifReadable(() => amountText(cents(given || "0") + cents(value))) ?? value);
  return (
    <div className="stack">
      <DecimalField label={say("given")} unit="€" value={given} onChange={onGiven} />
      <div className="quick-cash">
        <Button onClick={() => onGiven(total)}>{say("exact")}</Button>
        {QUICK.map((value) => (
          <Button key={value} onClick={() => give(value)}>
            {money(value, currency)}
          </Button>
        ))}
        <Button onClick={() => onGiven("")}>{say("clearGiven")}</Button>
      </div>
      <output className="change" aria-live="polite">
        {change?.startsWith("-")
          ? say("missing", { amount: money(change.slice(1), currency) })
          : change !== null && `${say("change")}: ${money(change, currency)}`}
      </output>
    </div>
  );
}

interface PaymentDialogProps {
  total: string;
  currency: string;
  onPay: (method: Method, given: string | null) => void;
  onClose: () => void;
}

/** How the customer pays. Without an amount given, cash is taken as exact. */
export function PaymentDialog({ total, currency, onPay, onClose }: PaymentDialogProps) {
  const say = useText();
  const [method, setMethod] = useState<Method>("cash");
  const [given, setGiven] = useState("");
  const isShort = () => method === "cash" && given !== "" && changeOf(given, total).startsWith("-");
  return (
    <FormDialog
      title={say("payTitle", { total: money(total, currency) })}
      submit={say("charge")}
      onSubmit={() => {
        if (!isShort()) onPay(method, method === "cash" ? given || total : null);
      }}
      onClose={onClose}
    >
      <div className="stack till-touch">
        <MethodChoice method={method} onChange={setMethod} />
        {method === "cash" && <Cash total={total} given={given} currency={currency} onGiven={setGiven} />}
      </div>
    </FormDialog>
  );
}
