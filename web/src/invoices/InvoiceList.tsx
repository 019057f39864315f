import { useState } from "react";
import { useMay } from "../app/session";
import { ImportDialog } from "../importing/ImportDialog";
import { Button, ButtonLink } from "../ui/Button";
import { DateField, Select } from "../ui/fields";
import { ClearFilters, FilterTabs, Pager, SearchField, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState } from "../ui/notices";
import { Page } from "../ui/page";
import { BulkPdf } from "./BulkPdf";
import { InvoiceTable } from "./InvoiceTable";
import {
  DOC_TYPES,
  STATUSES,
  useInvoiceCounts,
  useInvoices,
  type DocType,
  type Invoice,
  type InvoiceFilter,
  type InvoiceStatus,
} from "./queries";
import { useText } from "./texts";
import "./invoices.css";

/** First words of the queries that an import of invoices makes stale. */
const IMPORT_REFRESHES = [["invoices"], ["clients"], ["reports"], ["overview"]];

const NARROWING = ["search", "from", "to", "paidFrom", "paidTo", "docType", "clientId"] as const;

/** The filters as the address holds them; values that mean nothing are left out. */
function useInvoiceFilter(): { filter: InvoiceFilter; isNarrowed: boolean } {
  const { get, isAnySet, page } = useFilters();
  const status = STATUSES.find((status) => status === get("status"));
  const docType = DOC_TYPES.find((kind) => kind === get("docType"));
  const text = (name: "search" | "from" | "to" | "paidFrom" | "paidTo" | "clientId") => {
    const value = get(name);
    return value ? { [name]: value } : {};
  };
  const filter: InvoiceFilter = {
    page,
    ...(status ? { status } : {}),
    ...(docType ? { docType } : {}),
    ...text("search"),
    ...text("from"),
    ...text("to"),
    ...text("paidFrom"),
    ...text("paidTo"),
    ...text("clientId"),
  };
  return { filter, isNarrowed: isAnySet(NARROWING) };
}

function StatusTabs({ isNarrowed }: { isNarrowed: boolean }) {
  const say = useText();
  const counts = useInvoiceCounts().data;
  const count = (status: InvoiceStatus | "total") =>
    counts === undefined || isNarrowed ? {} : { count: counts[status] };
  return (
    <FilterTabs
      label={say("byStatus")}
      name="status"
      tabs={[
        { value: "", label: say("all"), ...count("total") },
        ...STATUSES.map((status) => ({
          value: status,
          label: say(`tab_${status}`),
          ...count(status),
        })),
      ]}
    />
  );
}

function Filters() {
  const say = useText();
  const { get, set } = useFilters();
  return (
    <div className="row invoice-filters">
      <SearchField label={say("searchLabel")} />
      <DateField label={say("from")} value={get("from") ?? ""} onChange={(from) => set({ from })} />
      <DateField label={say("to")} value={get("to") ?? ""} onChange={(to) => set({ to })} />
      <Select
        label={say("docType")}
        none={say("all")}
        value={get("docType") ?? ""}
        onChange={(docType) => set({ docType })}
        options={DOC_TYPES.map((kind: DocType) => ({ value: kind, label: say(`kind_${kind}`) }))}
      />
      <ClearFilters names={NARROWING} />
    </div>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  const say = useText();
  const mayDraft = useMay("invoices:draft");
  return (
    <EmptyState
      icon="invoice"
      title={say(isFiltered ? "noneMatch" : "noInvoices")}
      action={
        !isFiltered &&
        mayDraft && (
          <ButtonLink kind="primary" icon="add" to="/invoices/new">
            {say("firstInvoice")}
          </ButtonLink>
        )
      }
    >
      {say(isFiltered ? "noneMatchText" : "noInvoicesText")}
    </EmptyState>
  );
}

/** Every invoice, a page at a time; the address holds the filters. */
export function InvoiceList() {
  const say = useText();
  const mayDraft = useMay("invoices:draft");
  const mayIssue = useMay("invoices:issue");
  const { filter, isNarrowed } = useInvoiceFilter();
  const invoices = useInvoices(filter);
  const [isImporting, setImporting] = useState(false);
  const [chosen, setChosen] = useState<readonly Invoice[]>([]);
  return (
    <Page
      title={say("invoices")}
      actions={
        <>
          {mayIssue && (
            <Button icon="upload" onClick={() => setImporting(true)}>
              {say("import")}
            </Button>
          )}
          {mayDraft && (
            <ButtonLink kind="primary" icon="add" to="/invoices/new">
              {say("newInvoice")}
            </ButtonLink>
          )}
        </>
      }
    >
      <StatusTabs isNarrowed={isNarrowed} />
      <Filters />
      <BulkPdf chosen={chosen} onClear={() => setChosen([])} />
      <Loaded query={invoices} lines={10}>
        {(page) =>
          page.total === 0 ? (
            <Nothing isFiltered={isNarrowed || filter.status !== undefined} />
          ) : (
            <>
              <InvoiceTable invoices={page.items} chosen={chosen} onChoose={setChosen} />
              <Pager page={page.page} pageSize={page.pageSize} total={page.total} />
            </>
          )
        }
      </Loaded>
      {isImporting && (
        <ImportDialog
          path="/api/invoices/import"
          title={say("importTitle")}
          text={say("importText")}
          refreshes={IMPORT_REFRESHES}
          onClose={() => setImporting(false)}
        />
      )}
    </Page>
  );
}
