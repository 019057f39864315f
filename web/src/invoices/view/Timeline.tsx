import { useTeam } from "../../app/session";
import type { Schemas } from "../../api/client";
import { day, moment, money } from "../../texts/formats";
import { Icon, type IconName } from "../../ui/Icon";
import { recordOf, type EInvoice, type Invoice } from "../queries";
import { useText, type InvoiceText } from "../texts";
import type { Payment } from "./Payments";

type HistoryEntry = Schemas["EInvoiceStatus"]["history"][number];

interface Event {
  key: string;
  /** A moment, or a calendar day. */
  at: string;
  text: string;
  icon: IconName;
  detail?: string | null;
}

function useFiscalEvents(history: readonly HistoryEntry[], environment: string | undefined): Event[] {
  const say = useText(environment);
  const status = (one: EInvoice["status"]) => say(`fiscal_${one}` as InvoiceText);
  const textOf = (entry: HistoryEntry) => {
    if (entry.event === "answered" && entry.status)
      return say("event_answered", { status: status(entry.status) });
    if (entry.event === "sent") return say("event_sent");
    return say(entry.kind === "annul" ? "event_sealed_annul" : "event_sealed");
  };
  return history.map((entry, place) => ({
    key: `fiscal-${place}`,
    at: entry.at,
    text: textOf(entry),
    icon: "shield",
    detail: entry.message ?? entry.reason,
  }));
}

function useEvents(invoice: Invoice, payments: readonly Payment[], fiscal: readonly Event[]): Event[] {
  const say = useText();
  const paid = (payment: Payment): Event => ({
    key: payment.id,
    at: payment.createdAt,
    text: say(payment.amount < 0 ? "event_refunded" : "event_paid", {
      amount: money(payment.amount, invoice.currency),
    }),
    icon: "cash",
    detail: day(payment.paidAt),
  });
  const event = (
    name: "created" | "issued" | "mailed" | "viewed",
    at: string | null,
    icon: IconName,
  ): Event[] => (at === null ? [] : [{ key: name, at, text: say(`event_${name}`), icon }]);
  return [
    ...event("created", invoice.createdAt, "add"),
    ...event("issued", invoice.issuedAt, "invoice"),
    ...fiscal,
    ...event("mailed", invoice.sentAt, "mail"),
    ...event("viewed", invoice.viewedAt, "eye"),
    ...payments.map(paid),
  ];
}

const SECONDS = "2026-11-23T08:00:00".length;

/** By time. Fiscal records tell whole seconds: within one, events stay in the order in which they can happen. */
function inOrder(events: readonly Event[]): Event[] {
  return events.toSorted((event, other) =>
    event.at.slice(0, SECONDS).localeCompare(other.at.slice(0, SECONDS)),
  );
}

interface Props {
  invoice: Invoice;
  payments: readonly Payment[];
  history: readonly HistoryEntry[];
}

/** What has happened with the invoice, the oldest first. */
export function Timeline({ invoice, payments, history }: Props) {
  const { timezone } = useTeam();
  const events = inOrder(
    useEvents(invoice, payments, useFiscalEvents(history, recordOf(invoice)?.environment)),
  );
  return (
    <ol className="timeline">
      {events.map((event) => (
        <li key={event.key}>
          <Icon name={event.icon} />
          <div>
            <p>{event.text}</p>
            {event.detail && (
              <p className="soft">
                <bdi>{event.detail}</bdi>
              </p>
            )}
            <p className="soft">
              <time dateTime={event.at}>{moment(event.at, timezone)}</time>
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
