import { useState } from "react";
import { useTeam } from "../app/session";
import { fieldAmount, ifReadable, minus } from "../money/exact";
import { money, today } from "../texts/formats";
import { DecimalField } from "../ui/DecimalField";
import { FormDialog } from "../ui/Dialog";
import { DateField, TextField } from "../ui/fields";
import { toast } from "../ui/toasts";
import { usePay } from "./actions";
import { MethodField } from "./MethodField";
import { METHODS } from "./methods";
import type { PayableDetails } from "./queries";
import { useText } from "./texts";

/** A payment to a vendor, of all or of a part; what is left is said while one types. */
export function PayDialog({ payable, onClose }: { payable: PayableDetails; onClose: () => void }) {
  const say = useText();
  const { timezone } = useTeam();
  const [typed, setAmount] = useState<string | null>(null);
  const amount = typed ?? fieldAmount(payable.balance);
  const [method, setMethod] = useState<string>(METHODS[0]);
  const [paymentDate, setPaymentDate] = useState(today(timezone));
  const [reference, setReference] = useState("");
  const pay = usePay(payable.id, () => {
    toast(say("paid"));
    onClose();
  });
  const left = ifReadable(() => minus(payable.balance, amount || "0"));
  return (
    <FormDialog
      title={say("pay")}
      submit={say("payNow")}
      busy={pay.isPending}
      error={pay.error}
      onClose={onClose}
      onSubmit={() =>
        pay.mutate({
          amount: Number(amount),
          paymentMethod: method,
          paymentDate,
          reference: reference.trim() || null,
        })
      }
    >
      <DecimalField
        label={say("amount")}
        unit="€"
        required
        value={amount}
        onChange={setAmount}
        error={pay.error?.forField("amount")}
      />
      <output aria-live="polite">
        {left !== null && say("left", { amount: money(left, payable.currency) })}
      </output>
      <div className="columns">
        <MethodField value={method} onChange={setMethod} error={pay.error?.forField("paymentMethod")} />
        <DateField
          label={say("paymentDate")}
          value={paymentDate}
          onChange={setPaymentDate}
          error={pay.error?.forField("paymentDate")}
        />
      </div>
      <TextField
        label={say("reference")}
        value={reference}
        onChange={setReference}
        error={pay.error?.forField("reference")}
      />
    </FormDialog>
  );
}
