import { useTeam } from "../app/session";
import { money, moment } from "../texts/formats";
import { Facts } from "../ui/page";
import type { RegisterOverview } from "./queries";
import { useText } from "./texts";

/** The sums of a register: while it is open as they stand, after its closing as they stay. */
export function ZReport({ register }: { register: RegisterOverview }) {
  const say = useText();
  const { timezone } = useTeam();
  const { totals, currency } = register;
  const shown = (amount: number | null) => (amount === null ? null : money(amount, currency));
  return (
    <Facts
      facts={[
        [say("openedBy"), <bdi key="person">{register.userName}</bdi>],
        [say("openedAt"), moment(register.openedAt, timezone)],
        [say("closedAt"), moment(register.closedAt, timezone)],
        [say("float"), shown(register.openingAmount)],
        [say("salesCount"), String(register.salesCount)],
        [say("sales"), shown(totals.sales)],
        [say("refunds"), shown(totals.refunds)],
        [say("cashTaken"), shown(totals.cash)],
        [say("cardTaken"), shown(totals.card)],
        [say("transferTaken"), shown(totals.transfer)],
        [say("ins"), shown(totals.cashIn)],
        [say("outs"), shown(totals.cashOut)],
        [say("expected"), shown(register.expectedAmount)],
        [say("counted"), shown(register.closingAmount)],
        [say("difference"), shown(register.difference)],
        [say("notes"), register.notes && <bdi key="notes">{register.notes}</bdi>],
        [say("closingNotes"), register.closingNotes && <bdi key="closing">{register.closingNotes}</bdi>],
      ]}
    />
  );
}
