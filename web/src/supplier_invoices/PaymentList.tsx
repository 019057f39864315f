import { Link } from "react-router";
import { day, money } from "../texts/formats";
import { ButtonLink } from "../ui/Button";
import { DateField, Select } from "../ui/fields";
import { ClearFilters, Pager, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState } from "../ui/notices";
import { Card } from "../ui/page";
import { Table, type Column } from "../ui/Table";
import { METHODS, useMethodName } from "./methods";
import { usePayments, type Payment, type PaymentFilter } from "./queries";
import { useText } from "./texts";

const NARROWING = ["vendorId", "method", "from", "to"] as const;

function usePaymentFilter(): PaymentFilter {
  const { get, page } = useFilters();
  return {
    page,
    vendorId: get("vendorId"),
    paymentMethod: get("method"),
    dateFrom: get("from"),
    dateTo: get("to"),
  };
}

/** The filters; `methods` are the ways of paying that the list shows, of which some are the user's own. */
function Filters({ methods }: { methods: readonly string[] }) {
  const say = useText();
  const methodName = useMethodName();
  const { get, set } = useFilters();
  const asked = get("method") ?? "";
  const offered = new Set([...METHODS, ...methods, asked].filter(Boolean));
  return (
    <div className="row">
      <Select
        label={say("method")}
        none={say("allMethods")}
        value={asked}
        options={[...offered].map((value) => ({ value, label: methodName(value) }))}
        onChange={(method) => set({ method })}
      />
      <DateField label={say("from")} value={get("from") ?? ""} onChange={(from) => set({ from })} />
      <DateField label={say("to")} value={get("to") ?? ""} onChange={(to) => set({ to })} />
      <ClearFilters names={NARROWING} />
    </div>
  );
}

function PaymentTable({ payments }: { payments: readonly Payment[] }) {
  const say = useText();
  const methodName = useMethodName();
  const columns: Column<Payment>[] = [
    {
      key: "date",
      title: say("paymentDate"),
      isName: true,
      cell: (payment) => (
        <Link
          to={`/payables/${payment.supplierInvoiceId}`}
          aria-label={`${day(payment.paymentDate)}: ${say("ofInvoice")}`}
        >
          {day(payment.paymentDate)}
        </Link>
      ),
    },
    {
      key: "vendor",
      title: say("vendor"),
      cell: (payment) => (
        <Link to={`/vendors/${payment.vendorId}`}>
          <bdi>{payment.vendorName}</bdi>
        </Link>
      ),
    },
    {
      key: "method",
      title: say("method"),
      cell: (payment) => <bdi>{methodName(payment.paymentMethod)}</bdi>,
    },
    {
      key: "reference",
      title: say("reference"),
      isDetail: true,
      cell: (payment) => <bdi>{payment.reference}</bdi>,
    },
    {
      key: "amount",
      title: say("amount"),
      isFigure: true,
      cell: (payment) => money(payment.amount, payment.currency),
    },
  ];
  return (
    <Table caption={say("payments")} columns={columns} rows={payments} rowKey={(payment) => payment.id} />
  );
}

function NoPayments({ isFiltered }: { isFiltered: boolean }) {
  const say = useText();
  const all = isFiltered && <ButtonLink to="/payables?status=payments">{say("seeAll")}</ButtonLink>;
  return (
    <EmptyState
      icon={isFiltered ? "search" : "box"}
      title={say(isFiltered ? "noMatchingPayments" : "noPayments")}
      action={all}
    />
  );
}

/** Payments to all vendors, each with the way to its invoice and its vendor. */
export function PaymentList() {
  const filter = usePaymentFilter();
  const payments = usePayments(filter);
  const isFiltered = useFilters().isAnySet(NARROWING);
  return (
    <>
      <Filters methods={payments.data?.items.map((payment) => payment.paymentMethod) ?? []} />
      <Card>
        <Loaded query={payments} lines={10}>
          {(data) =>
            data.total === 0 ? (
              <NoPayments isFiltered={isFiltered} />
            ) : (
              <>
                <PaymentTable payments={data.items} />
                <Pager page={data.page} pageSize={data.pageSize} total={data.total} />
              </>
            )
          }
        </Loaded>
      </Card>
    </>
  );
}
