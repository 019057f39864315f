import { Link } from "react-router";
import { useTeam } from "../app/session";
import { money } from "../texts/formats";
import { Select } from "../ui/fields";
import { Pager, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState, Status } from "../ui/notices";
import { Table, type Column } from "../ui/Table";
import { useDeclarations, useSupported, type DeclarationRow, type ListFilter } from "./queries";
import { DueDay, State } from "./State";
import { useTaxText } from "./texts";
import { periodName } from "./words";
import { today as todayIn } from "../texts/formats";

function useColumns(): Column<DeclarationRow>[] {
  const say = useTaxText();
  const { currency, timezone } = useTeam();
  const today = todayIn(timezone);
  return [
    {
      key: "form",
      title: say("form"),
      isName: true,
      cell: (row) => (
        <Link to={`/tax/${row.id}`}>
          {row.form}, {periodName(row.period, row.year, say)}
        </Link>
      ),
    },
    {
      key: "state",
      title: say("state"),
      cell: (row) => (
        <>
          <State status={row.status} />{" "}
          {row.origin === "external" && <Status tone="plain">{say("external")}</Status>}
        </>
      ),
    },
    {
      key: "due",
      title: say("due"),
      cell: (row) =>
        row.dueDate && <DueDay date={row.dueDate} today={today} isFiled={row.status === "submitted"} />,
    },
    { key: "kind", title: say("result"), cell: (row) => say(row.resultKind) },
    {
      key: "amount",
      title: say("evidenceAmount"),
      isFigure: true,
      cell: (row) => money(row.totals.result, currency),
    },
  ];
}

function useListFilter(): ListFilter {
  const { get, page } = useFilters();
  const status = get("status");
  return {
    year: Number(get("year")) || null,
    form: get("form"),
    status: status === "draft" || status === "submitted" ? status : null,
    page,
  };
}

function Filters({ filter }: { filter: ListFilter }) {
  const say = useTaxText();
  const { set } = useFilters();
  const supported = useSupported();
  const forms = supported.data?.forms ?? [];
  return (
    <div className="row tax-filters">
      <Select
        label={say("form")}
        none={say("allForms")}
        value={filter.form ?? ""}
        options={forms.map((form) => ({ value: form.form, label: `${form.form} ${form.name}` }))}
        onChange={(form) => set({ form })}
      />
      <Select
        label={say("state")}
        none={say("allStates")}
        value={filter.status ?? ""}
        options={[
          { value: "draft", label: say("draft") },
          { value: "submitted", label: say("submitted") },
        ]}
        onChange={(status) => set({ status })}
      />
    </div>
  );
}

/** All declarations, the latest period first. */
export function DeclarationList() {
  const say = useTaxText();
  const filter = useListFilter();
  const list = useDeclarations(filter);
  const columns = useColumns();
  return (
    <>
      <Filters filter={filter} />
      <Loaded query={list} lines={8}>
        {(page) =>
          page.items.length === 0 ? (
            <EmptyState icon="tax" title={say("noDeclarations")}>
              {say("noDeclarationsText")}
            </EmptyState>
          ) : (
            <>
              <Table caption={say("list")} columns={columns} rows={page.items} rowKey={(row) => row.id} />
              <Pager page={page.page} pageSize={page.pageSize} total={page.total} />
            </>
          )
        }
      </Loaded>
    </>
  );
}
