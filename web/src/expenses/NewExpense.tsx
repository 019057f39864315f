import { useNavigate } from "react-router";
import { useDraft } from "../app/drafts";
import { useTeam } from "../app/session";
import { today } from "../texts/formats";
import { Button, ButtonLink } from "../ui/Button";
import { ProblemNotice } from "../ui/notices";
import { Card, Page } from "../ui/page";
import { toast } from "../ui/toasts";
import { useCreateExpense } from "./actions";
import { ExpenseFields } from "./ExpenseFields";
import { emptyExpense, requestOf } from "./form";
import { useText } from "./texts";
import "./expenses.css";

export function NewExpense() {
  const say = useText();
  const navigate = useNavigate();
  const team = useTeam();
  const [form, setForm, forget] = useDraft(`${team.id}.expense.new`, emptyExpense(today(team.timezone)));
  const create = useCreateExpense((expense) => {
    forget();
    toast(say("saved"));
    void navigate(`/expenses/${expense.id}`, { replace: true });
  });
  return (
    <Page title={say("newExpense")}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(requestOf(form));
        }}
      >
        <Card>
          <ExpenseFields
            form={form}
            onChange={(changes) => setForm((before) => ({ ...before, ...changes }))}
            refused={create.error}
          />
        </Card>
        <ProblemNotice error={create.error} onRetry={() => create.mutate(requestOf(form))} />
        <div className="dialog-foot">
          <ButtonLink to="/expenses">{say("cancel")}</ButtonLink>
          <Button type="submit" kind="primary" busy={create.isPending}>
            {say("save")}
          </Button>
        </div>
      </form>
    </Page>
  );
}
