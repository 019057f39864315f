import { decimal, money } from "../../texts/formats";
import { decimalText, scaled } from "../../money/exact";
import { Select } from "../../ui/fields";
import { Status } from "../../ui/notices";
import { Table, type Column } from "../../ui/Table";
import type { CatalogItem } from "../queries";
import { useText } from "../texts";
import { actionWith, type Action, type AnalysedItem, type Analysis } from "./analysis";

const SCALE = 4;

function sumOf(stock: number, quantity: number): string {
  return decimalText(scaled(String(stock), SCALE) + scaled(String(quantity), SCALE), SCALE);
}

interface ChangeProps {
  item: AnalysedItem;
  action: Action;
  matched: CatalogItem | undefined;
  currency: string;
}

/** What a line changes, before and after. */
function Change({ item, action, matched, currency }: ChangeProps) {
  const say = useText();
  const quantity = item.quantity ?? 0;
  const price =
    item.unitPrice === null || item.unitPrice === undefined ? "—" : money(item.unitPrice, currency);
  if (action === "skip") return <span className="soft">{say("nothing")}</span>;
  if (action === "create") return <span>{say("newWith", { stock: decimal(quantity), cost: price })}</span>;
  if (!matched) return null;
  const isCounted = matched.stock !== null && matched.variants.length === 0;
  const before = matched.cost === null ? "—" : money(matched.cost, matched.currency);
  return (
    <div className="match-change">
      <span>
        {isCounted
          ? say("stockChange", {
              before: decimal(matched.stock ?? 0),
              after: decimal(sumOf(matched.stock ?? 0, quantity)),
            })
          : say("itemNotTracked")}
      </span>
      <span>{say("costChange", { before, after: price })}</span>
    </div>
  );
}

interface MatchTableProps {
  analysis: Analysis;
  answers: readonly string[];
  matched: ReadonlyMap<string, CatalogItem>;
  onAction: (place: number, action: Action) => void;
}

interface Line {
  place: number;
  item: AnalysedItem;
  action: Action;
}

/** The lines that were read, each with the item it was matched with and what will happen to it. */
export function MatchTable({ analysis, answers, matched, onAction }: MatchTableProps) {
  const say = useText();
  const currency = analysis.currency ?? "EUR";
  const lines = analysis.items.map((item, place) => ({ place, item, action: actionWith(item, answers) }));
  const actionsOf = (item: AnalysedItem) => [
    { value: "create", label: say("actionCreate") },
    ...(item.matchedItemId ? [{ value: "update", label: say("actionUpdate") }] : []),
    { value: "skip", label: say("actionSkip") },
  ];
  const columns: Column<Line>[] = [
    {
      key: "name",
      title: say("line"),
      isName: true,
      cell: ({ item }) => (
        <>
          <bdi>{item.name}</bdi> {item.sku && <small className="item-detail">{item.sku}</small>}
        </>
      ),
    },
    {
      key: "quantity",
      title: say("quantity"),
      isFigure: true,
      cell: ({ item }) => decimal(item.quantity ?? 0),
    },
    {
      key: "cost",
      title: say("unitCost"),
      isFigure: true,
      cell: ({ item }) =>
        item.unitPrice === null || item.unitPrice === undefined ? "—" : money(item.unitPrice, currency),
    },
    {
      key: "matched",
      title: say("matched"),
      cell: ({ item }) => (
        <span>
          <bdi>{item.matchedItemName}</bdi>{" "}
          {item.question !== null && item.question !== undefined && (
            <Status tone="caution">{say("unsure")}</Status>
          )}
        </span>
      ),
    },
    {
      key: "action",
      title: say("whatToDo"),
      cell: ({ item, place, action }) => (
        <Select
          label={say("whatToDoWith", { name: item.name })}
          hideLabel
          value={action}
          options={actionsOf(item)}
          onChange={(chosen) => onAction(place, chosen as Action)}
        />
      ),
    },
    {
      key: "change",
      title: say("change"),
      cell: ({ item, action }) => (
        <Change
          item={item}
          action={action}
          matched={item.matchedItemId ? matched.get(item.matchedItemId) : undefined}
          currency={currency}
        />
      ),
    },
  ];
  return (
    <Table caption={say("lines")} columns={columns} rows={lines} rowKey={({ place }) => String(place)} />
  );
}
