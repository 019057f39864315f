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
      cell: (row) => (
        <Link to={`/payables/${row.id}`}>
          <bdi>{row.vendorName}</bdi> <bdi>{row.invoiceNumber ?? ""}</bdi>
        </Link>
      ),
    },
    { key: "date", title: say("invoiceDate"), isDetail: true, cell: (row) => day(row.invoiceDate) },
    { key: "due", title: say("dueDate"), cell: (row) => day(row.dueDate) },
    { key: "status", title: say("status"), cell: (row) => <PayableStatus status={row.status} /> },
    {
      key: "total",
      title: say("total"),
      isFigure: true,
      isDetail: true,
      cell: (row) => money(row.total, row.currency),
    },
    {
      key: "balance",
      title: say("balance"),
      isFigure: true,
      cell: (row) => money(row.balance, row.currency),
    },
  ];
  return <Table caption={caption} columns={columns} rows={rows} rowKey={(row) => row.id} />;
}
