import { Link } from "react-router";
import { useMay } from "../app/session";
import { day, money } from "../texts/formats";
import { ButtonLink } from "../ui/Button";
import { DateField, Select } from "../ui/fields";
import { ClearFilters, Pager, SearchField, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState, Status } from "../ui/notices";
import { Card, Page } from "../ui/page";
import { Table, type Column } from "../ui/Table";
import { useExpenses, type Expense } from "./queries";
import { CATEGORIES, useCategoryName, useText } from "./texts";

function useColumns(): Column<Expense>[] {
  const say = useText();
  const categoryName = useCategoryName();
  return [
    { key: "date", title: say("date"), cell: (expense) => day(expense.date) },
    {
      key: "description",
      title: say("description"),
      isName: true,
      cell: (expense) => (
        <Link to={`/expenses/${expense.id}`}>
          <bdi>{expense.description}</bdi>
        </Link>
      ),
    },
    { key: "vendor", title: say("vendor"), cell: (expense) => <bdi>{expense.vendor}</bdi> },
    {
      key: "category",
      title: say("category"),
      isDetail: true,
      cell: (expense) => <bdi>{categoryName(expense.category)}</bdi>,
    },
    {
      key: "status",
      title: say("status"),
      isDetail: true,
      cell: (expense) => (
        <Status tone={expense.status === "paid" ? "good" : "caution"}>
          {say(`status_${expense.status}`)}
        </Status>
      ),
    },
    {
      key: "tax",
      title: say("vat"),
      isFigure: true,
      isDetail: true,
      cell: (expense) => money(expense.taxAmount, expense.currency),
    },
    {
      key: "amount",
      title: say("amount"),
      isFigure: true,
      cell: (expense) => money(expense.amount, expense.currency),
    },
  ];
}

const NARROWING = ["search", "category", "vendorId", "from", "to"] as const;

function Filters() {
  const say = useText();
  const filters = useFilters();
  const options = CATEGORIES.map((category) => ({ value: category, label: say(`category_${category}`) }));
  return (
    <div className="row">
      <SearchField label={say("search")} />
      <Select
        label={say("category")}
        none={say("all")}
        value={filters.get("category") ?? ""}
        options={options}
        onChange={(category) => filters.set({ category })}
      />
      <DateField
        label={say("from")}
        value={filters.get("from") ?? ""}
        onChange={(from) => filters.set({ from })}
      />
      <DateField label={say("to")} value={filters.get("to") ?? ""} onChange={(to) => filters.set({ to })} />
      <ClearFilters names={NARROWING} />
    </div>
  );
}

/** What was bought, the newest first. */
export function ExpenseList() {
  const say = useText();
  const { get, isAnySet, page } = useFilters();
  const mayWrite = useMay("expenses:write");
  const filter = {
    page,
    search: get("search"),
    category: get("category"),
    vendorId: get("vendorId"),
    from: get("from"),
    to: get("to"),
  };
  const expenses = useExpenses(filter);
  const columns = useColumns();
  const isFiltered = isAnySet(NARROWING);
  const actions = mayWrite && (
    <>
      <ButtonLink icon="add" to="/expenses/new">
        {say("newExpense")}
      </ButtonLink>
      <ButtonLink kind="primary" icon="camera" to="/expenses/inbox">
        {say("scan")}
      </ButtonLink>
    </>
  );
  return (
    <Page title={say("title")} actions={actions}>
      <Filters />
      <Card>
        <Loaded query={expenses} lines={10}>
          {(data) =>
            data.total === 0 ? (
              <EmptyState
                icon="receipt"
                title={say(isFiltered ? "noMatches" : "empty")}
                action={
                  mayWrite &&
                  !isFiltered && (
                    <ButtonLink kind="primary" icon="camera" to="/expenses/inbox">
                      {say("scan")}
                    </ButtonLink>
                  )
                }
              />
            ) : (
              <>
                <Table
                  caption={say("title")}
                  columns={columns}
                  rows={data.items}
                  rowKey={(expense) => expense.id}
                />
                <Pager {...data} />
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}
