import { useState } from "react";
import { Link } from "react-router";
import { keyed, useAction } from "../api/actions";
import { api, take, type Schemas } from "../api/client";
import { useMailLeaves, useMay } from "../app/session";
import { MailWordsFields, useMailWords, type MailWords } from "../invoices/MailWords";
import { SimulatedMail, useSimulationQuestion } from "../invoices/SimulatedMail";
import { useEnvironment } from "../texts/environment";
import { day, money } from "../texts/formats";
import { Button } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { Card } from "../ui/page";
import { Table, type Column } from "../ui/Table";
import { toast } from "../ui/toasts";
import type { Overview } from "./queries";
import { useDashboardText } from "./texts";

type Overdue = NonNullable<Overview["overdueInvoices"]>;
type OverdueInvoice = Overdue["invoices"][number];

/** What is said of a reminder: a mail server took it, it lies in a file, or it leaves tomorrow. */
const REMINDED = {
  smtp: "reminded",
  file: "remindedInFile",
  queue: "remindedTomorrow",
} as const satisfies Record<Schemas["Sent"]["deliveredTo"], string>;

/** Ask before a client is mailed: the invoice goes out once more, with what is still owed. */
function Reminder({ invoice, onClose }: { invoice: OverdueInvoice; onClose: () => void }) {
  const say = useDashboardText();
  const email = invoice.email ?? "";
  const leaves = useMailLeaves();
  const typed = useMailWords();
  const question = useSimulationQuestion(useEnvironment());
  const send = useAction({
    run: ({ id, ...words }: { id: string } & MailWords, key) => {
      const request = { params: { path: { id } }, body: words, headers: keyed(key) };
      return take(api.PATCH("/api/invoices/{id}/send", request));
    },
    refreshes: [["reports"], ["invoices"]],
    onDone: (sent) => {
      toast(say(REMINDED[sent.deliveredTo], { email }));
      onClose();
    },
  });
  return (
    <FormDialog
      title={say("remindTitle")}
      submit={say(leaves ? "remindSend" : "remindKeep")}
      busy={send.isPending}
      error={send.error}
      onSubmit={() => question.orAsk(() => send.mutate({ id: invoice.id, ...typed.words }))}
      onClose={onClose}
    >
      {question.isAsking && <SimulatedMail />}
      <p>
        {say(leaves ? "remindText" : "remindNoMail", {
          number: invoice.number ?? "",
          email,
          amount: money(invoice.balance, invoice.currency),
        })}
      </p>
      <MailWordsFields typed={typed} error={send.error} />
    </FormDialog>
  );
}

function useColumns(remind: ((invoice: OverdueInvoice) => void) | null): Column<OverdueInvoice>[] {
  const say = useDashboardText();
  const columns: Column<OverdueInvoice>[] = [
    {
      key: "number",
      title: say("number"),
      isName: true,
      cell: (invoice) => <Link to={`/invoices/${invoice.id}`}>{invoice.number}</Link>,
    },
    { key: "client", title: say("client"), cell: (invoice) => <bdi>{invoice.client}</bdi> },
    {
      key: "due",
      title: say("dueDate"),
      cell: (invoice) => (
        <span>
          {day(invoice.dueDate)} <span className="soft">({say("overdueDays", { count: invoice.days })})</span>
        </span>
      ),
    },
    {
      key: "amount",
      title: say("amount"),
      isFigure: true,
      cell: (invoice) => money(invoice.balance, invoice.currency),
    },
  ];
  if (remind === null) return columns;
  const action: Column<OverdueInvoice> = {
    key: "remind",
    title: say("remind"),
    isActions: true,
    cell: (invoice) =>
      invoice.email ? (
        <Button
          icon="mail"
          aria-label={say("remindOf", { number: invoice.number ?? "" })}
          onClick={() => remind(invoice)}
        >
          {say("remind")}
        </Button>
      ) : (
        <span className="soft">{say("noEmail")}</span>
      ),
  };
  return [...columns, action];
}

/** The invoices that are overdue for the longest time, each with a reminder. */
export function OverdueInvoices({ overdue }: { overdue: Overdue }) {
  const say = useDashboardText();
  const mayIssue = useMay("invoices:issue");
  const [reminding, setReminding] = useState<OverdueInvoice | null>(null);
  const columns = useColumns(mayIssue ? setReminding : null);
  return (
    <Card
      title={say("overdueList")}
      actions={
        overdue.count > 0 && (
          <Link to="/invoices?status=overdue">{say("seeAll", { count: overdue.count })}</Link>
        )
      }
    >
      {overdue.count === 0 ? (
        <p className="soft">{say("noOverdue")}</p>
      ) : (
        <Table
          caption={say("overdueList")}
          columns={columns}
          rows={overdue.invoices}
          rowKey={(invoice) => invoice.id}
        />
      )}
      {reminding && <Reminder invoice={reminding} onClose={() => setReminding(null)} />}
    </Card>
  );
}
