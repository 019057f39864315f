import { useState } from "react";
import { useTeam } from "../../app/session";
import { cents, fieldAmount, ifReadable, minus } from "../../money/exact";
import { money, today } from "../../texts/formats";
import { DecimalField } from "../../ui/DecimalField";
import { FormDialog } from "../../ui/Dialog";
import { DateField, Select } from "../../ui/fields";
import { usePay } from "../actions";
import type { Invoice } from "../queries";
import { useText } from "../texts";

const METHODS = ["transfer", "card", "cash", "direct_debit", "check", "other"] as const;

/** What is owed, without its sign: on a credit note it goes to the client. */
const owedOf = (invoice: Invoice) => fieldAmount(Math.abs(invoice.balance));

function Left({ owed, amount, currency }: { owed: string; amount: string; currency: string }) {
  const say = useText();
  const left = ifReadable(() => minus(owed, amount || owed));
  if (left === null) return null;
  return (
    <output aria-live="polite">
      {cents(left) > 0n ? say("leftAfter", { amount: money(left, currency) }) : say("paidInFull")}
    </output>
  );
}

export function PaymentDialog({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const say = useText();
  const { timezone } = useTeam();
  const owed = owedOf(invoice);
  const [typed, setAmount] = useState<string | null>(null);
  const amount = typed ?? owed;
  const [paidAt, setPaidAt] = useState(today(timezone));
  const [method, setMethod] = useState("");
  const pay = usePay(onClose);
  return (
    <FormDialog
      title={say("paymentTitle")}
      submit={say("save")}
      busy={pay.isPending}
      error={pay.error}
      onSubmit={() => pay.mutate({ id: invoice.id, amount, paidAt, method })}
      onClose={onClose}
    >
      <p>{say("owed", { amount: money(owed, invoice.currency) })}</p>
      <DecimalField
        label={say("paymentAmount")}
        unit={invoice.currency}
        value={amount}
        error={pay.error?.forField("amount")}
        onChange={setAmount}
      />
      <Left owed={owed} amount={amount} currency={invoice.currency} />
      <DateField
        label={say("paymentDate")}
        value={paidAt}
        error={pay.error?.forField("paidAt")}
        onChange={setPaidAt}
      />
      <Select
        label={say("paymentMethod")}
        none={say("method_none")}
        value={method}
        options={METHODS.map((value) => ({ value, label: say(`method_${value}`) }))}
        onChange={setMethod}
      />
    </FormDialog>
  );
}
