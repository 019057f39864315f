import { Status, type Tone } from "../ui/notices";
import { recordOf, type EInvoice, type Invoice, type InvoiceStatus } from "./queries";
import { useText } from "./texts";

const TONES: Record<InvoiceStatus, Tone | "plain"> = {
  draft: "plain",
  sent: "info",
  paid: "good",
  overdue: "bad",
};

const FISCAL_TONES: Record<EInvoice["status"], Tone | "plain"> = {
  pending: "info",
  unknown: "info",
  accepted: "good",
  accepted_with_errors: "caution",
  rejected: "bad",
  annulled: "plain",
  kept: "good",
};

export function StatusBadge({ invoice }: { invoice: Invoice }) {
  const say = useText();
  const isAnnulled = recordOf(invoice)?.status === "annulled";
  if (isAnnulled) return <Status tone="plain">{say("fiscal_annulled")}</Status>;
  return <Status tone={TONES[invoice.status]}>{say(`status_${invoice.status}`)}</Status>;
}

/** How the authority has taken the invoice; nothing where it has no record. */
export function FiscalBadge({ record }: { record: EInvoice | null }) {
  const say = useText(record?.environment);
  if (record === null) return null;
  const isRefused = record.refused !== null && record.refused !== undefined;
  if (isRefused) return <Status tone="caution">{say("fiscalRefused")}</Status>;
  return <Status tone={FISCAL_TONES[record.status]}>{say(`fiscal_${record.status}`)}</Status>;
}

/** The number, or what stands in its place while there is none. */
export function useNumber() {
  const say = useText();
  return (invoice: { number: string | null }) => invoice.number ?? say("draft");
}
