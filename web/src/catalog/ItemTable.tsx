import { Link } from "react-router";
import { money, percent } from "../texts/formats";
import { Menu } from "../ui/Menu";
import { Status } from "../ui/notices";
import { Table, type Column } from "../ui/Table";
import type { CatalogItem } from "./queries";
import { StockControl } from "./StockControl";
import { useText } from "./texts";

interface ItemTableProps {
  items: readonly CatalogItem[];
  mayWrite: boolean;
  onActivate: (item: CatalogItem, isActive: boolean) => void;
}

function isLow({ stock, lowStockThreshold, variants }: CatalogItem): boolean {
  if (lowStockThreshold === null) return false;
  const stocks = [stock, ...variants.filter((variant) => variant.isActive).map((variant) => variant.stock)];
  return stocks.some((stock) => stock !== null && stock <= lowStockThreshold);
}

function NameCell({ item }: { item: CatalogItem }) {
  const say = useText();
  return (
    <>
      <Link to={`/catalog/${item.id}`}>
        <bdi>{item.name}</bdi>
      </Link>{" "}
      {!item.isActive && <Status tone="plain">{say("inactiveMark")}</Status>}{" "}
      {item.isActive && isLow(item) && <Status tone="caution">{say("lowMark")}</Status>}
      <small className="item-detail">
        {[item.sku, item.variants.length > 0 && say("variantCount", { count: item.variants.length })]
          .filter(Boolean)
          .join(" · ")}
      </small>
    </>
  );
}

/** Items with their price and their stock, which the buttons change in place. */
export function ItemTable({ items, mayWrite, onActivate }: ItemTableProps) {
  const say = useText();
  const columns: Column<CatalogItem>[] = [
    { key: "name", title: say("name"), isName: true, cell: (item) => <NameCell item={item} /> },
    {
      key: "category",
      title: say("category"),
      isDetail: true,
      cell: (item) => item.category && <bdi>{item.category}</bdi>,
    },
    {
      key: "price",
      title: say("priceShort"),
      isFigure: true,
      cell: (item) => money(item.unitPrice, item.currency),
    },
    {
      key: "vat",
      title: say("vat"),
      isFigure: true,
      cell: (item) => (item.taxRate === null ? "" : percent(item.taxRate)),
    },
    {
      key: "stock",
      title: say("stock"),
      isFigure: true,
      cell: (item) => <StockControl item={item} mayWrite={mayWrite} />,
    },
  ];
  if (mayWrite) {
    columns.push({
      key: "actions",
      title: say("actions"),
      isActions: true,
      cell: (item) => (
        <Menu
          label={say("moreActions", { name: item.name })}
          entries={[
            item.isActive && {
              key: "deactivate",
              label: say("deactivate"),
              icon: "trash",
              isDanger: true,
              onSelect: () => onActivate(item, false),
            },
            !item.isActive && {
              key: "activate",
              label: say("activate"),
              icon: "undo",
              onSelect: () => onActivate(item, true),
            },
          ]}
        />
      ),
    });
  }
  return <Table caption={say("title")} columns={columns} rows={items} rowKey={(item) => item.id} />;
}
