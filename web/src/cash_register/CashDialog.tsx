import { useState } from "react";
import { money } from "../texts/formats";
import { DecimalField } from "../ui/DecimalField";
import { FormDialog } from "../ui/Dialog";
import { TextField } from "../ui/fields";
import { toast } from "../ui/toasts";
import { useMovement } from "./actions";
import type { CashRegister } from "./queries";
import { useText } from "./texts";

interface CashDialogProps {
  register: CashRegister;
  kind: "cash_in" | "cash_out";
  onClose: () => void;
}

/** Cash put into the drawer or taken out of it, with the reason. */
export function CashDialog({ register, kind, onClose }: CashDialogProps) {
  const say = useText();
  const [amount, setAmount] = useState("");
  const [reason, setReason] = useState("");
  const movement = useMovement(() => {
    toast(say("cashMoved", { amount: money(amount || "0", register.currency) }));
    onClose();
  });
  const body = { type: kind, amount: Number(amount || "0"), description: reason };
  return (
    <FormDialog
      title={say(kind === "cash_in" ? "cashInTitle" : "cashOutTitle")}
      submit={say(kind === "cash_in" ? "cashIn" : "cashOut")}
      busy={movement.isPending}
      error={movement.error}
      onSubmit={() => movement.mutate({ registerId: register.id, body })}
      onClose={onClose}
    >
      <div className="stack till-touch">
        <DecimalField
          label={say("amount")}
          unit="€"
          required
          value={amount}
          error={movement.error?.forField("amount")}
          onChange={setAmount}
        />
        <TextField
          label={say("reason")}
          required
          value={reason}
          error={movement.error?.forField("description")}
          onChange={setReason}
        />
      </div>
    </FormDialog>
  );
}
