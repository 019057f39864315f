import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { NO_VERSION, put, type Versioned } from "../api/client";
import { useSaving } from "../api/saving";
import { Attachments } from "../attachments/Attachments";
import { useMay, useSession } from "../app/session";
import { currencySign, day, money, percent } from "../texts/formats";
import { Button } from "../ui/Button";
import { Conflict } from "../ui/Conflict";
import { FormDialog } from "../ui/Dialog";
import { Doubts } from "../ui/Doubts";
import { Loaded } from "../ui/Loaded";
import { ProblemNotice } from "../ui/notices";
import { Card, Facts, Page } from "../ui/page";
import { toast } from "../ui/toasts";
import { REFRESHES, useDeleteExpense } from "./actions";
import { ExpenseFields } from "./ExpenseFields";
import { formOf, requestOf } from "./form";
import { fetchExpense, useExpense, type Expense } from "./queries";
import { useCategoryName, useText } from "./texts";
import "./expenses.css";

/** Tells whether the user may change this expense: everybody's, or their own. */
function useMayChange(expense: Expense): boolean {
  const mayChangeAny = useMay("expenses:write-any");
  const mayWrite = useMay("expenses:write");
  const { user } = useSession().session;
  return mayChangeAny || (mayWrite && expense.createdBy === user?.id);
}

function ExpenseForm({ loaded }: { loaded: Versioned<Expense> }) {
  const say = useText();
  const expense = loaded.data;
  const [form, setForm] = useState(() => formOf(expense));
  // What was said to the last change: some doubts are about the change itself, and no later answer repeats them.
  const [said, setSaid] = useState<readonly string[] | null>(null);
  const change = useSaving<Expense, Expense>({
    read: loaded,
    shown: formOf,
    reload: () => fetchExpense(expense.id),
    run: (version) =>
      put(version ?? NO_VERSION)("/api/expenses/{id}", {
        params: { path: { id: expense.id } },
        body: requestOf(form),
      }),
    refreshes: REFRESHES,
    onDone: (saved) => {
      setForm(formOf(saved));
      setSaid(saved.warnings);
      toast(say("saved"));
    },
    onTheirs: (theirs) => {
      setForm(formOf(theirs));
      setSaid(null);
    },
  });
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        change.save();
      }}
    >
      <Doubts warnings={said ?? expense.warnings} />
      <ExpenseFields
        form={form}
        currency={currencySign(expense.currency)}
        onChange={(changes) => setForm((before) => ({ ...before, ...changes }))}
        refused={change.error}
      />
      <Conflict choice={change.conflict} />
      <ProblemNotice error={change.error} onRetry={change.save} />
      <div className="row">
        <Button type="submit" kind="primary" busy={change.isPending}>
          {say("save")}
        </Button>
      </div>
    </form>
  );
}

function ExpenseFacts({ expense }: { expense: Expense }) {
  const say = useText();
  const categoryName = useCategoryName();
  return (
    <Facts
      facts={[
        [say("date"), day(expense.date)],
        [say("vendor"), expense.vendor && <bdi key="vendor">{expense.vendor}</bdi>],
        [say("vendorTaxId"), expense.vendorTaxId],
        [say("invoiceNumber"), expense.invoiceNumber],
        [say("category"), categoryName(expense.category)],
        [say("net"), money(expense.netAmount, expense.currency)],
        [`${say("vat")} ${percent(expense.taxRate)}`, money(expense.taxAmount, expense.currency)],
        [say("deductibleTax"), money(expense.deductibleTaxAmount)],
        [say("amount"), money(expense.amount, expense.currency)],
        [say("notes"), expense.notes && <bdi key="notes">{expense.notes}</bdi>],
      ]}
    />
  );
}

function DeleteDialog({ expense, onClose }: { expense: Expense; onClose: () => void }) {
  const say = useText();
  const navigate = useNavigate();
  const remove = useDeleteExpense(() => {
    toast(say("deleted"));
    void navigate("/expenses", { replace: true });
  });
  return (
    <FormDialog
      title={say("deleteTitle")}
      submit={say("delete")}
      kind="danger"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={() => remove.mutate(expense.id)}
    >
      <p>{say("deleteText")}</p>
    </FormDialog>
  );
}

function Shown({ loaded }: { loaded: Versioned<Expense> }) {
  const say = useText();
  const expense = loaded.data;
  const mayChange = useMayChange(expense);
  const mayDelete = useMay("expenses:delete");
  const [isDeleting, setDeleting] = useState(false);
  const actions = mayDelete && (
    <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
      {say("delete")}
    </Button>
  );
  return (
    <Page
      title={expense.description}
      lead={`${day(expense.date)} · ${money(expense.amount, expense.currency)}`}
      actions={actions}
    >
      <Card>
        {mayChange ? (
          <ExpenseForm loaded={loaded} />
        ) : (
          <>
            <Doubts warnings={expense.warnings} />
            <ExpenseFacts expense={expense} />
          </>
        )}
      </Card>
      {mayChange && (
        <Card title={say("amounts")}>
          <ExpenseFacts expense={expense} />
        </Card>
      )}
      <Attachments type="expense" id={expense.id} />
      {isDeleting && <DeleteDialog expense={expense} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

export function ExpensePage() {
  const { id = "" } = useParams();
  const expense = useExpense(id);
  return (
    <Loaded query={expense} lines={10}>
      {(loaded) => <Shown key={loaded.data.id} loaded={loaded} />}
    </Loaded>
  );
}
