import type { PageOf, Schemas } from "../api/client";
import { day, daysLater, decimal } from "../texts/formats";
import { monthSpan } from "./periods";
import { address, count, money, text, type Report, type SayReports, type Value } from "./report";

interface Answers {
  summary: Schemas["PayablesSummary"];
  vendors: PageOf<Schemas["VendorPayable"]>;
  /** The day of both. */
  today: string;
  currency: string;
}

const bills = (query: Record<string, string>) => address("/payables", query);

function vendorRow(vendor: Schemas["VendorPayable"]): readonly Value[] {
  const { vendorId } = vendor;
  return [
    text(vendor.vendorName, `/vendors/${vendorId}`),
    text(vendor.vendorTaxId ?? ""),
    count(vendor.invoiceCount, bills({ vendorId })),
    money(vendor.totalInvoiced),
    money(vendor.totalPaid, bills({ vendorId, status: "payments" })),
    money(vendor.balance, bills({ vendorId, status: "open" })),
    count(vendor.overdueCount, bills({ vendorId, status: "overdue" })),
    text(vendor.nextDue === null ? "" : day(vendor.nextDue)),
  ];
}

/** What is owed today to each vendor, and what was paid to all of them this month. */
export function payablesReport({ summary, vendors, today, currency }: Answers, say: SayReports): Report {
  const shown = vendors.items.length;
  const week = { dueFrom: today, dueTo: daysLater(today, 7) };
  const month = { ...monthSpan(today.slice(0, 7)) };
  return {
    from: today,
    to: today,
    currency,
    hint: say(vendors.total > shown ? "payablesCutHint" : "payablesHint", { count: decimal(shown) }),
    facts: [
      [say("notYetDue"), money(summary.totalPending, bills({ status: "open", dueFrom: today }))],
      [say("overdue"), money(summary.totalOverdue, bills({ status: "overdue" }))],
      [say("dueSoon"), count(summary.upcomingDueCount, bills({ status: "open", ...week }))],
      [say("partlyPaid"), count(summary.partialCount)],
      [say("paidThisMonth"), money(summary.monthPayments, bills({ status: "payments", ...month }))],
      [say("owedVendors"), count(summary.activeVendors)],
    ],
    tables: [
      {
        title: say("byVendor"),
        columns: [
          say("vendor"),
          say("taxId"),
          say("count"),
          say("invoiced"),
          say("paid"),
          say("owed"),
          say("overdueCount"),
          say("nextDue"),
        ],
        rows: vendors.items.map(vendorRow),
      },
    ],
  };
}
