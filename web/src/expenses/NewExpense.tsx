import { useNavigate } from "react-router";
import { useDraft } from "../app/drafts";
import { useTeam } from "../app/session";
import { useOffer } from "../countries/queries";
import { generalRate, type Offer } from "../countries/taxes";
import { Button, ButtonLink } from "../ui/Button";
import { Loaded } from "../ui/Loaded";
import { ProblemNotice } from "../ui/notices";
import { Card, Page } from "../ui/page";
import { toast } from "../ui/toasts";
import { useCreateExpense } from "./actions";
import { ExpenseFields } from "./ExpenseFields";
import { emptyExpense, requestOf } from "./form";
import { useText } from "./texts";
import "./expenses.css";

function Form({ offer: { country, today } }: { offer: Offer }) {
  const say = useText();
  const navigate = useNavigate();
  const team = useTeam();
  const [form, setForm, forget] = useDraft(`${team.id}.expense.new`, () =>
    emptyExpense(today, generalRate(country, today)),
  );
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

/** An expense, typed in; its tax rate begins as the country's general one. */
export function NewExpense() {
  const offer = useOffer();
  return (
    <Loaded query={offer} lines={10}>
      {(offered) => <Form offer={offered} />}
    </Loaded>
  );
}
