import { Link } from "react-router";
import { day, money } from "../texts/formats";
import { Table, type Column } from "../ui/Table";
import { FiscalBadge, StatusBadge, useNumber } from "./Badges";
import { InvoiceMenu } from "./InvoiceMenu";
import { nameless, recordOf, type Invoice } from "./queries";
import { useText } from "./texts";

interface Props {
  invoices: readonly Invoice[];
  /** Without these the rows cannot be chosen. */
  chosen?: readonly Invoice[];
  onChoose?: (chosen: readonly Invoice[]) => void;
  /** All are of one client, whose name stands above. */
  ofOneClient?: boolean;
}

interface ChooseProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function Choose({ label, checked, onChange }: ChooseProps) {
  return (
    <label className="choose">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span className="only-read">{label}</span>
    </label>
  );
}

function useColumns(chosen: readonly Invoice[], onChoose: Props["onChoose"]): Column<Invoice>[] {
  const say = useText();
  const numberOf = useNumber();
  const isChosen = (invoice: Invoice) => chosen.some((one) => one.id === invoice.id);
  const toggle = (invoice: Invoice, isOn: boolean) =>
    onChoose?.(isOn ? [...chosen, invoice] : chosen.filter((one) => one.id !== invoice.id));
  const choosing: Column<Invoice> = {
    key: "choose",
    title: say("choose"),
    isActions: true,
    cell: (invoice) => (
      <Choose
        label={say("chooseOne", { number: numberOf(invoice) })}
        checked={isChosen(invoice)}
        onChange={(isOn) => toggle(invoice, isOn)}
      />
    ),
  };
  return [
    ...(onChoose ? [choosing] : []),
    {
      key: "number",
      title: say("number"),
      isName: true,
      cell: (invoice) => (
        <Link className="nowrap" to={`/invoices/${invoice.id}`}>
          {numberOf(invoice)}
        </Link>
      ),
    },
    {
      key: "client",
      title: say("client"),
      cell: (invoice) => <bdi>{invoice.client.name ?? say(nameless(invoice))}</bdi>,
    },
    {
      key: "date",
      title: say("issueDate"),
      cell: (invoice) => <span className="nowrap">{day(invoice.issueDate)}</span>,
    },
    {
      key: "due",
      title: say("dueDate"),
      isDetail: true,
      cell: (invoice) => <span className="nowrap">{day(invoice.dueDate)}</span>,
    },
    {
      key: "status",
      title: say("status"),
      cell: (invoice) => (
        <span className="badges">
          <StatusBadge invoice={invoice} />
          <FiscalProblem invoice={invoice} />
        </span>
      ),
    },
    {
      key: "total",
      title: say("total"),
      isFigure: true,
      cell: (invoice) => money(invoice.total, invoice.currency),
    },
    {
      key: "balance",
      title: say("balance"),
      isFigure: true,
      isDetail: true,
      cell: (invoice) => (invoice.status === "draft" ? "" : money(invoice.balance, invoice.currency)),
    },
    {
      key: "menu",
      title: say("actions"),
      isActions: true,
      cell: (invoice) => <InvoiceMenu invoice={invoice} />,
    },
  ];
}

/** In a list only what wants attention is shown of the authority's answer. */
function FiscalProblem({ invoice }: { invoice: Invoice }) {
  const record = recordOf(invoice);
  const isWell = record === null || ["accepted", "annulled", "kept"].includes(record.status);
  return isWell && !record?.refused ? null : <FiscalBadge record={record} />;
}

export function InvoiceTable({ invoices, chosen = [], onChoose, ofOneClient = false }: Props) {
  const say = useText();
  const columns = useColumns(chosen, onChoose).filter(({ key }) => !(ofOneClient && key === "client"));
  const areAllChosen = invoices.every((invoice) => chosen.some((one) => one.id === invoice.id));
  const others = chosen.filter((one) => !invoices.some((invoice) => invoice.id === one.id));
  return (
    <div>
      {onChoose && (
        <div className="choose-all">
          <Choose
            label={say("chooseAll")}
            checked={areAllChosen}
            onChange={(isOn) => onChoose(isOn ? [...others, ...invoices] : others)}
          />
          <span aria-hidden="true">{say("chooseAll")}</span>
        </div>
      )}
      <Table caption={say("invoices")} columns={columns} rows={invoices} rowKey={(invoice) => invoice.id} />
    </div>
  );
}
