import { Link } from "react-router";
import { day, money } from "../texts/formats";
import { Table, type Column } from "../ui/Table";
import { PayableStatus } from "./PayableStatus";
import type { Payable } from "./queries";
import { useText } from "./texts";

export function PayableTable({ caption, rows }: { caption: string; rows: readonly Payable[] }) {
  const say = useText();
  const columns: Column<Payable>[] = [
    {
      key: "vendor",
      title: say("vendor"),
      isName: true,
      cell: (one) => (
        <Link to={`/payables/${one.id}`}>
          <bdi>{one.vendorName}</bdi> <bdi>{one.invoiceNumber ?? ""}</bdi>
        </Link>
      ),
    },
    { key: "date", title: say("invoiceDate"), isDetail: true, cell: (one) => day(one.invoiceDate) },
    { key: "due", title: say("dueDate"), cell: (one) => day(one.dueDate) },
    { key: "status", title: say("status"), cell: (one) => <PayableStatus status={one.status} /> },
    {
      key: "total",
      title: say("total"),
      isFigure: true,
      isDetail: true,
      cell: (one) => money(one.total, one.currency),
    },
    {
      key: "balance",
      title: say("balance"),
      isFigure: true,
      cell: (one) => money(one.balance, one.currency),
    },
  ];
  return <Table caption={caption} columns={columns} rows={rows} rowKey={(one) => one.id} />;
}
