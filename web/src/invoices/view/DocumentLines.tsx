import { decimal, money, percent } from "../../texts/formats";
import { Table, type Column } from "../../ui/Table";
import type { Invoice, InvoiceItem } from "../queries";
import { useText, type InvoiceText } from "../texts";

export function DocumentLines({ invoice }: { invoice: Invoice }) {
  const say = useText();
  const { currency } = invoice;
  const rows = invoice.items.map((item, place) => ({ item, place }));
  const vatOf = (item: InvoiceItem) =>
    item.taxCategory === "standard"
      ? percent(item.taxRate)
      : say(`category_${item.taxCategory}` as InvoiceText);
  const hasDiscount = invoice.items.some((item) => item.discount !== 0);
  const columns: (Column<(typeof rows)[number]> | false)[] = [
    {
      key: "description",
      title: say("line"),
      isName: true,
      cell: ({ item }) => <bdi className="as-typed">{item.description}</bdi>,
    },
    { key: "quantity", title: say("quantity"), isFigure: true, cell: ({ item }) => decimal(item.quantity) },
    {
      key: "price",
      title: say("price"),
      isFigure: true,
      cell: ({ item }) => decimal(item.unitPrice, 2),
    },
    hasDiscount && {
      key: "discount",
      title: say("discount"),
      isFigure: true,
      cell: ({ item }) => (item.discount === 0 ? "" : percent(item.discount)),
    },
    { key: "vat", title: say("vat"), isFigure: true, cell: ({ item }) => vatOf(item) },
    {
      key: "amount",
      title: say("amount"),
      isFigure: true,
      cell: ({ item }) => money(item.lineTotal, currency),
    },
  ];
  return (
    <Table
      caption={say("lines")}
      columns={columns.filter((column) => column !== false)}
      rows={rows}
      rowKey={({ place }) => String(place)}
    />
  );
}
