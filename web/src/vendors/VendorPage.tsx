import { useState, type ReactNode } from "react";
import { Link, useNavigate, useParams } from "react-router";
import type { Versioned } from "../api/client";
import { useMay } from "../app/session";
import { vendorMatches } from "../expenses/queries";
import { MergeDialog } from "../merging/MergeDialog";
import { PayableStatus } from "../supplier_invoices/PayableStatus";
import { day, money } from "../texts/formats";
import { Button, ButtonLink } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { Loaded } from "../ui/Loaded";
import { Card, Facts, Page } from "../ui/page";
import { Table } from "../ui/Table";
import { toast } from "../ui/toasts";
import { mergeVendors, useDeleteVendor } from "./actions";
import { useStatement, useVendor, useVendorExpenses, type VendorCard } from "./queries";
import { useText } from "./texts";
import { VendorDialog } from "./VendorDialog";

function Statement({ vendorId }: { vendorId: string }) {
  const say = useText();
  const mayRead = useMay("supplier-invoices:read");
  const mayWrite = useMay("supplier-invoices:write");
  const invoices = useStatement(vendorId, mayRead);
  if (!mayRead) return null;
  const add = mayWrite && (
    <ButtonLink icon="add" to={`/payables/new?vendorId=${vendorId}`}>
      {say("newInvoice")}
    </ButtonLink>
  );
  return (
    <Card title={say("statement")} actions={add}>
      <Loaded query={invoices} lines={3}>
        {({ items, total }) =>
          total === 0 ? (
            <p className="soft">{say("noInvoices")}</p>
          ) : (
            <>
              <Table
                caption={say("statement")}
                rows={items}
                rowKey={(row) => row.id}
                columns={[
                  { key: "date", title: say("date"), cell: (row) => day(row.invoiceDate) },
                  {
                    key: "number",
                    title: say("number"),
                    isName: true,
                    cell: (row) => (
                      <Link to={`/payables/${row.id}`}>
                        <bdi>{row.invoiceNumber ?? say("noNumber")}</bdi>
                      </Link>
                    ),
                  },
                  {
                    key: "status",
                    title: say("status"),
                    cell: (row) => <PayableStatus status={row.status} />,
                  },
                  {
                    key: "total",
                    title: say("total"),
                    isFigure: true,
                    cell: (row) => money(row.total, row.currency),
                  },
                  {
                    key: "balance",
                    title: say("balance"),
                    isFigure: true,
                    cell: (row) => money(row.balance, row.currency),
                  },
                ]}
              />
              <Link to={`/payables?vendorId=${vendorId}`}>{say("allInvoices", { count: total })}</Link>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function Expenses({ vendorId }: { vendorId: string }) {
  const say = useText();
  const expenses = useVendorExpenses(vendorId);
  return (
    <Card title={say("expenses")}>
      <Loaded query={expenses} lines={3}>
        {({ items, total }) =>
          total === 0 ? (
            <p className="soft">{say("noExpenses")}</p>
          ) : (
            <Table
              caption={say("expenses")}
              rows={items}
              rowKey={(row) => row.id}
              columns={[
                { key: "date", title: say("date"), cell: (row) => day(row.date) },
                {
                  key: "what",
                  title: say("what"),
                  isName: true,
                  cell: (row) => (
                    <Link to={`/expenses/${row.id}`}>
                      <bdi>{row.description}</bdi>
                    </Link>
                  ),
                },
                {
                  key: "amount",
                  title: say("total"),
                  isFigure: true,
                  cell: (row) => money(row.amount, row.currency),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function DeleteDialog({ vendor, onClose }: { vendor: VendorCard; onClose: () => void }) {
  const say = useText();
  const navigate = useNavigate();
  const remove = useDeleteVendor(() => {
    toast(say("deleted", { name: vendor.name }));
    void navigate("/vendors", { replace: true });
  });
  return (
    <FormDialog
      title={say("deleteTitle", { name: vendor.name })}
      submit={say("delete")}
      kind="danger"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={() => remove.mutate(vendor.id)}
    >
      <p>{say("deleteText")}</p>
    </FormDialog>
  );
}

function MergeDuplicate({ vendor, onClose }: { vendor: VendorCard; onClose: () => void }) {
  const say = useText();
  return (
    <MergeDialog
      kept={vendor}
      domain="vendors"
      search={vendorMatches}
      run={(duplicateId, key) => mergeVendors(vendor.id, duplicateId, key)}
      refreshes={[["vendors"], ["payables"], ["expenses"]]}
      onMerged={({ moved }) => {
        const { expenses, supplierInvoices } = moved;
        toast(say("merged", { expenses: String(expenses), invoices: String(supplierInvoices) }));
        onClose();
      }}
      onClose={onClose}
    />
  );
}

type Fact = readonly [string, ReactNode];

/** How to reach and pay a vendor; where nothing is stored, the way to complete it. */
function ContactCard({ vendor, onComplete }: { vendor: VendorCard; onComplete?: () => void }) {
  const say = useText();
  const place = [vendor.address, vendor.postalCode, vendor.city, vendor.province].filter(Boolean).join(", ");
  const facts: Fact[] = [
    [say("address"), place && <bdi key="place">{place}</bdi>],
    [say("email"), vendor.email],
    [say("phone"), vendor.phone],
    [say("contactName"), vendor.contactName && <bdi key="contact">{vendor.contactName}</bdi>],
    ["IBAN", vendor.iban],
    [
      say("paymentTermDays"),
      vendor.paymentTermDays === null ? null : `${vendor.paymentTermDays} ${say("days")}`,
    ],
    [say("notes"), vendor.notes && <bdi key="notes">{vendor.notes}</bdi>],
  ];
  const isEmpty = facts.every(([, value]) => value === null || value === "");
  return (
    <Card title={say("data")}>
      {isEmpty ? (
        <div className="stack">
          <p className="soft">{say("noData")}</p>
          {onComplete && (
            <div className="row">
              <Button icon="edit" onClick={onComplete}>
                {say("complete")}
              </Button>
            </div>
          )}
        </div>
      ) : (
        <Facts facts={facts} />
      )}
    </Card>
  );
}

function Shown({ loaded }: { loaded: Versioned<VendorCard> }) {
  const say = useText();
  const vendor = loaded.data;
  const mayWrite = useMay("vendors:write");
  const mayDelete = useMay("vendors:delete");
  const [dialog, setDialog] = useState<"change" | "merge" | "delete" | null>(null);
  const actions = (
    <>
      {mayDelete && (
        <>
          <Button kind="danger" icon="trash" onClick={() => setDialog("delete")}>
            {say("delete")}
          </Button>
          <Button icon="merge" onClick={() => setDialog("merge")}>
            {say("merge")}
          </Button>
        </>
      )}
      {mayWrite && (
        <Button icon="edit" onClick={() => setDialog("change")}>
          {say("change")}
        </Button>
      )}
    </>
  );
  return (
    <Page title={vendor.name} lead={vendor.taxId} actions={actions}>
      <div className="columns">
        <ContactCard vendor={vendor} {...(mayWrite ? { onComplete: () => setDialog("change") } : {})} />
        <Card title={say("spent")}>
          <Facts
            facts={[
              [say("totalSpent"), money(vendor.summary.totalSpent)],
              [say("expenses"), String(vendor.summary.expenseCount)],
              [say("lastExpense"), day(vendor.summary.lastExpenseDate)],
            ]}
          />
        </Card>
      </div>
      <Statement vendorId={vendor.id} />
      <Expenses vendorId={vendor.id} />
      {dialog === "change" && (
        <VendorDialog
          vendor={loaded}
          onClose={() => setDialog(null)}
          onSaved={() => {
            toast(say("saved"));
            setDialog(null);
          }}
        />
      )}
      {dialog === "merge" && <MergeDuplicate vendor={vendor} onClose={() => setDialog(null)} />}
      {dialog === "delete" && <DeleteDialog vendor={vendor} onClose={() => setDialog(null)} />}
    </Page>
  );
}

export function VendorPage() {
  const { id = "" } = useParams();
  const vendor = useVendor(id);
  return (
    <Loaded query={vendor} lines={10}>
      {(loaded) => <Shown loaded={loaded} />}
    </Loaded>
  );
}
