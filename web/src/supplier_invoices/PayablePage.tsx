import { useState } from "react";
import { Link, useParams } from "react-router";
import { useMay } from "../app/session";
import { Attachments } from "../attachments/Attachments";
import { day, decimal, money, percent } from "../texts/formats";
import { Button } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { Doubts } from "../ui/Doubts";
import { doubtWords } from "../ui/doubtWords";
import { TextField } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { Notice } from "../ui/notices";
import { Card, Facts, Page } from "../ui/page";
import { Table } from "../ui/Table";
import { toast } from "../ui/toasts";
import { useCancelPayable } from "./actions";
import { useMethodName } from "./methods";
import { PayableStatus } from "./PayableStatus";
import { PayDialog } from "./PayDialog";
import { usePayable, type PayableDetails } from "./queries";
import { useText } from "./texts";

function LineTable({ payable }: { payable: PayableDetails }) {
  const say = useText();
  return (
    <Table
      caption={say("lines")}
      rows={payable.items.map((item, place) => ({ ...item, place }))}
      rowKey={(item) => String(item.place)}
      columns={[
        {
          key: "what",
          title: say("description"),
          isName: true,
          cell: (item) => <bdi>{item.description}</bdi>,
        },
        { key: "quantity", title: say("quantity"), isFigure: true, cell: (item) => decimal(item.quantity) },
        {
          key: "price",
          title: say("unitPrice"),
          isFigure: true,
          cell: (item) => money(item.unitPrice, payable.currency),
        },
        { key: "vat", title: say("vat"), isFigure: true, cell: (item) => percent(item.taxRate) },
        {
          key: "total",
          title: say("net"),
          isFigure: true,
          cell: (item) => money(item.lineTotal, payable.currency),
        },
      ]}
    />
  );
}

function Lines({ payable }: { payable: PayableDetails }) {
  const say = useText();
  return (
    <Card title={say(payable.items.length === 0 ? "amounts" : "lines")}>
      {payable.items.length > 0 && <LineTable payable={payable} />}
      <Facts
        facts={[
          [say("net"), money(payable.subtotal, payable.currency)],
          [say("vat"), money(payable.taxAmount, payable.currency)],
          [
            say("retention"),
            payable.retentionAmount === 0 ? null : money(payable.retentionAmount, payable.currency),
          ],
          [say("total"), <strong key="total">{money(payable.total, payable.currency)}</strong>],
        ]}
      />
    </Card>
  );
}

function Payments({ payable }: { payable: PayableDetails }) {
  const say = useText();
  const methodName = useMethodName();
  return (
    <Card title={say("payments")}>
      {payable.payments.length === 0 ? (
        <p className="soft">{say("noPayments")}</p>
      ) : (
        <Table
          caption={say("payments")}
          rows={payable.payments}
          rowKey={(payment) => payment.id}
          columns={[
            {
              key: "date",
              title: say("paymentDate"),
              isName: true,
              cell: (payment) => day(payment.paymentDate),
            },
            {
              key: "method",
              title: say("method"),
              cell: (payment) => <bdi>{methodName(payment.paymentMethod)}</bdi>,
            },
            { key: "reference", title: say("reference"), cell: (payment) => <bdi>{payment.reference}</bdi> },
            {
              key: "amount",
              title: say("amount"),
              isFigure: true,
              cell: (payment) => money(payment.amount, payment.currency),
            },
            {
              key: "after",
              title: say("balance"),
              isFigure: true,
              cell: (payment) => money(payment.balanceAfter, payment.currency),
            },
          ]}
        />
      )}
    </Card>
  );
}

function CancelDialog({ payable, onClose }: { payable: PayableDetails; onClose: () => void }) {
  const say = useText();
  const [reason, setReason] = useState("");
  const cancel = useCancelPayable(payable.id, ({ warnings }) => {
    toast(say("cancelled"));
    for (const warning of warnings) toast(doubtWords(warning));
    onClose();
  });
  return (
    <FormDialog
      title={say("cancelTitle")}
      submit={say("cancelPayable")}
      kind="danger"
      busy={cancel.isPending}
      error={cancel.error}
      onClose={onClose}
      onSubmit={() => cancel.mutate(reason)}
    >
      <p>{say("cancelText")}</p>
      <TextField
        label={say("reason")}
        value={reason}
        onChange={setReason}
        error={cancel.error?.forField("reason")}
      />
    </FormDialog>
  );
}

function Shown({ payable }: { payable: PayableDetails }) {
  const say = useText();
  const mayPay = useMay("supplier-invoices:pay");
  const mayWrite = useMay("supplier-invoices:write");
  const [dialog, setDialog] = useState<"pay" | "cancel" | null>(null);
  const isOpen = payable.status !== "paid" && payable.status !== "cancelled";
  const actions = isOpen && (
    <>
      {mayWrite && payable.payments.length === 0 && (
        <Button kind="danger" onClick={() => setDialog("cancel")}>
          {say("cancelPayable")}
        </Button>
      )}
      {mayPay && (
        <Button kind="primary" icon="card" onClick={() => setDialog("pay")}>
          {say("pay")}
        </Button>
      )}
    </>
  );
  return (
    <Page
      title={`${payable.vendorName} ${payable.invoiceNumber ?? ""}`.trim()}
      lead={<PayableStatus status={payable.status} />}
      actions={actions}
    >
      {payable.cancelReason && <Notice title={say("cancelled")}>{<bdi>{payable.cancelReason}</bdi>}</Notice>}
      <Doubts warnings={payable.warnings} />
      <Card title={say("data")}>
        <Facts
          facts={[
            [
              say("vendor"),
              <Link key="vendor" to={`/vendors/${payable.vendorId}`}>
                <bdi>{payable.vendorName}</bdi>
              </Link>,
            ],
            ["NIF", payable.vendorTaxId],
            [say("invoiceDate"), day(payable.invoiceDate)],
            [say("dueDate"), day(payable.dueDate)],
            [say("balance"), <strong key="balance">{money(payable.balance, payable.currency)}</strong>],
            [say("deductibleTax"), money(payable.deductibleTaxAmount)],
            [say("notes"), payable.notes && <bdi key="notes">{payable.notes}</bdi>],
          ]}
        />
      </Card>
      <Lines payable={payable} />
      <Payments payable={payable} />
      <Attachments type="supplier_invoice" id={payable.id} />
      {dialog === "pay" && <PayDialog payable={payable} onClose={() => setDialog(null)} />}
      {dialog === "cancel" && <CancelDialog payable={payable} onClose={() => setDialog(null)} />}
    </Page>
  );
}

export function PayablePage() {
  const { id = "" } = useParams();
  const payable = usePayable(id);
  return (
    <Loaded query={payable} lines={10}>
      {(loaded) => <Shown payable={loaded} />}
    </Loaded>
  );
}
