import { Link } from "react-router";
import type { Schemas } from "../api/client";
import { day, decimal } from "../texts/formats";
import { Card } from "../ui/page";
import { Table } from "../ui/Table";
import type { Declaration } from "./queries";
import { useTaxText } from "./texts";

const PLACES = { invoice: "/invoices", expense: "/expenses", supplier_invoice: "/payables" } as const;

/** An amount before or after a change; a dash where the document was not in the box. */
const shown = (amount: number | null) => (amount === null ? "—" : decimal(amount, 2));

/** Documents that a filed declaration has otherwise than the books, box by box. */
export function DocumentChanges({ documents }: { documents: readonly Schemas["DocumentChange"][] }) {
  const say = useTaxText();
  return (
    <Table
      caption={say("changedDocuments")}
      rows={documents}
      rowKey={(row) => row.documentId}
      columns={[
        {
          key: "document",
          title: say("changedDocument"),
          isName: true,
          cell: (row) => (
            <Link to={`${PLACES[row.origin]}/${row.documentId}`}>
              {row.number ?? row.party ?? day(row.date)}
            </Link>
          ),
        },
        { key: "date", title: say("changedDay"), cell: (row) => day(row.date) },
        { key: "party", title: say("party"), cell: (row) => row.party ?? "—" },
        {
          key: "boxes",
          title: say("boxesBeforeAfter"),
          cell: (row) => (
            <ul className="tax-changes">
              {row.boxes.map(({ box, before, after }) => (
                <li key={box}>
                  {say("boxBeforeAfter", { box, before: shown(before), after: shown(after) })}
                </li>
              ))}
            </ul>
          ),
        },
      ]}
    />
  );
}

/** What the books say otherwise by now than a declaration that was filed. */
export function ChangedDocuments({ declaration }: { declaration: Declaration }) {
  const say = useTaxText();
  if (declaration.documentChanges.length === 0) return null;
  return (
    <Card title={say("changedDocuments")}>
      <p>{say("changedDocumentsText")}</p>
      <DocumentChanges documents={declaration.documentChanges} />
    </Card>
  );
}
