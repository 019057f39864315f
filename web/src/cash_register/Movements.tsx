import { useState } from "react";
import { useTeam } from "../app/session";
import { money, moment } from "../texts/formats";
import { Button } from "../ui/Button";
import { EmptyState } from "../ui/notices";
import { Table, type Column } from "../ui/Table";
import { ReceiptDialog } from "./ReceiptDialog";
import { RefundDialog } from "./RefundDialog";
import type { CashRegister, Movement } from "./queries";
import { useText } from "./texts";

interface MovementsProps {
  register: CashRegister;
  /** The caller's open register, out of which refunds are paid; null: none, so nothing is refunded. */
  openRegisterId: string | null;
}

type Shown = { kind: "receipt" | "refund"; movement: Movement; warnings?: readonly string[] } | null;

const nameOf = (movement: Movement) =>
  movement.lineItems.length > 0
    ? movement.lineItems.map((line) => line.description).join(", ")
    : movement.description;

function useColumns(currency: string, maySell: boolean, onShow: (shown: Shown) => void): Column<Movement>[] {
  const say = useText();
  const { timezone } = useTeam();
  return [
    { key: "time", title: say("time"), cell: (row) => moment(row.createdAt, timezone) },
    {
      key: "what",
      title: say("detail"),
      isName: true,
      cell: (row) => (
        <>
          {say(row.type)} <bdi className="soft">{nameOf(row)}</bdi>
        </>
      ),
    },
    { key: "method", title: say("method"), cell: (row) => say(row.paymentMethod) },
    {
      key: "amount",
      title: say("amount"),
      isFigure: true,
      cell: (row) => {
        const isOut = row.type === "refund" || row.type === "cash_out";
        return `${isOut ? "−" : ""}${money(row.amount, currency)}`;
      },
    },
    {
      key: "actions",
      title: say("actions"),
      isActions: true,
      cell: (row) => {
        const values = { name: nameOf(row), amount: money(row.amount, currency) };
        const isTrade = row.type === "sale" || row.type === "refund";
        return (
          <span className="row till-touch">
            {isTrade && (
              <Button
                icon="receipt"
                label={say("receiptOf", values)}
                onClick={() => onShow({ kind: "receipt", movement: row })}
              />
            )}
            {row.type === "sale" && maySell && (
              <Button
                icon="undo"
                label={say("refundOf", values)}
                onClick={() => onShow({ kind: "refund", movement: row })}
              />
            )}
          </span>
        );
      },
    },
  ];
}

/** What went through a register, the latest first, each sale with its receipt and its refund. */
export function Movements({ register, openRegisterId }: MovementsProps) {
  const say = useText();
  const [shown, setShown] = useState<Shown>(null);
  const columns = useColumns(register.currency, openRegisterId !== null, setShown);
  if (register.movements.length === 0) return <EmptyState icon="receipt" title={say("noMovements")} />;
  return (
    <>
      <Table
        caption={say("movements")}
        columns={columns}
        rows={[...register.movements].reverse()}
        rowKey={(row) => row.id}
      />
      {shown?.kind === "receipt" && (
        <ReceiptDialog
          movement={shown.movement}
          currency={register.currency}
          title={say("receipt")}
          warnings={shown.warnings ?? []}
          close={say("back")}
          onClose={() => setShown(null)}
        />
      )}
      {shown?.kind === "refund" && openRegisterId && (
        <RefundDialog
          sale={shown.movement}
          registerId={openRegisterId}
          currency={register.currency}
          onRefunded={(movement, warnings) => setShown({ kind: "receipt", movement, warnings })}
          onClose={() => setShown(null)}
        />
      )}
    </>
  );
}
