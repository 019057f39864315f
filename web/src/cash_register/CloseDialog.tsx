import { useState } from "react";
import { useDraft } from "../app/drafts";
import { useSession, useTeam } from "../app/session";
import { amountText, ifReadable, minus } from "../money/exact";
import { money } from "../texts/formats";
import { FormDialog } from "../ui/Dialog";
import { TextField } from "../ui/fields";
import { UNREADABLE } from "../ui/unreadable";
import { useCloseRegister } from "./actions";
import { COINS, countedCents, isCount, NOTES, type Count } from "./coins";
import type { CashRegister, RegisterOverview } from "./queries";
import { useText } from "./texts";

interface CountFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

function CountField({ label, value, onChange }: CountFieldProps) {
  const say = useText();
  const isUnreadable = !isCount(value);
  return (
    <TextField
      label={label}
      inputMode="numeric"
      pattern="[0-9]*"
      autoComplete="off"
      className="count"
      error={isUnreadable ? say("notACount") : undefined}
      {...(isUnreadable ? { [UNREADABLE]: "" } : {})}
      value={value}
      onChange={onChange}
    />
  );
}

interface CloseDialogProps {
  register: RegisterOverview;
  onClosed: (register: CashRegister) => void;
  onClose: () => void;
}

/** The drawer counted note by note and coin by coin, against what it should hold. */
export function CloseDialog({ register, onClosed, onClose }: CloseDialogProps) {
  const say = useText();
  const team = useTeam();
  const { user } = useSession().session;
  const [count, setCount, forget] = useDraft<Count>(`${user?.id}.${team.id}.count.${register.id}`, {});
  const [notes, setNotes] = useState("");
  const closing = useCloseRegister((closed) => {
    forget();
    onClosed(closed);
  });
  const counted = ifReadable(() => amountText(countedCents(count)));
  const difference = counted === null ? null : minus(counted, register.expectedAmount);
  const shown = (amount: number | string | null) =>
    amount === null ? "—" : money(amount, register.currency);
  const field = (value: number, text: "note" | "coin") => (
    <CountField
      key={value}
      label={say(text, { value: shown(amountText(BigInt(value))) })}
      value={count[value] ?? ""}
      onChange={(typed) => setCount((before) => ({ ...before, [value]: typed }))}
    />
  );
  return (
    <FormDialog
      title={say("closeTitle")}
      place="wide"
      submit={say("confirmClose", { amount: shown(counted) })}
      busy={closing.isPending}
      error={closing.error}
      onSubmit={() => {
        if (counted === null) return;
        const body = { closingAmount: Number(counted), notes: notes || null };
        closing.mutate({ registerId: register.id, body });
      }}
      onClose={onClose}
    >
      <p className="soft">{say("closeLead")}</p>
      <div className="counts till-touch">
        {NOTES.map((value) => field(value, "note"))}
        {COINS.map((value) => field(value, "coin"))}
      </div>
      <output className="count-sums" aria-live="polite">
        <span>
          {say("counted")}: <strong>{shown(counted)}</strong>
        </span>
        <span>
          {say("expected")}: <strong>{shown(register.expectedAmount)}</strong>
        </span>
        <span>
          {say("difference")}: <strong>{difference === "0.00" ? say("balanced") : shown(difference)}</strong>
        </span>
      </output>
      <TextField label={say("notes")} value={notes} onChange={setNotes} />
    </FormDialog>
  );
}
