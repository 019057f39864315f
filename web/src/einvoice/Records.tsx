import { useState } from "react";
import { Link } from "react-router";
import { download } from "../api/client";
import { useMay, useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Checkbox } from "../ui/fields";
import { FilterTabs, Pager, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { Menu } from "../ui/Menu";
import { EmptyState } from "../ui/notices";
import { Table, type Column } from "../ui/Table";
import { Annulment, Emission } from "./dialogs";
import { History } from "./History";
import { Cause } from "./Cause";
import { STATUSES, useRecords, type FiscalRecord, type RecordFilter } from "./queries";
import { RecordStatus } from "./RecordStatus";
import { useEinvoiceText } from "./texts";

export interface Opened {
  dialog: "emit" | "annul" | "history";
  record: FiscalRecord;
}

const canBeAnnulled = (record: FiscalRecord) =>
  record.isNewest &&
  record.kind === "issue" &&
  ["accepted", "accepted_with_errors", "kept"].includes(record.status);

function xmlAddress({ invoiceId, fiscalId, id }: FiscalRecord): string {
  return `/api/einvoice/xml/${invoiceId}?${new URLSearchParams({ fiscalId, record: id }).toString()}`;
}

function RecordMenu({ record, open }: { record: FiscalRecord; open: (opened: Opened) => void }) {
  const say = useEinvoiceText();
  const mayEmit = useMay("einvoice:emit");
  return (
    <Menu
      label={say("more", { number: record.number })}
      entries={[
        {
          key: "history",
          label: say("history"),
          icon: "clock",
          onSelect: () => open({ dialog: "history", record }),
        },
        {
          key: "xml",
          label: say("xml"),
          icon: "download",
          onSelect: () => void download(xmlAddress(record)),
        },
        mayEmit &&
          canBeAnnulled(record) && {
            key: "annul",
            label: say("annulInvoice"),
            icon: "trash",
            isDanger: true,
            onSelect: () => open({ dialog: "annul", record }),
          },
      ]}
    />
  );
}

function useColumns(open: (opened: Opened) => void): Column<FiscalRecord>[] {
  const say = useEinvoiceText();
  const { timezone } = useTeam();
  return [
    {
      key: "number",
      title: say("number"),
      isName: true,
      cell: (record) => <Link to={`/invoices/${record.invoiceId}`}>{record.number}</Link>,
    },
    { key: "kind", title: say("kind"), isDetail: true, cell: (record) => say(record.kind) },
    { key: "made", title: say("made"), cell: (record) => moment(record.issuedAt, timezone) },
    { key: "status", title: say("status"), cell: (record) => <RecordStatus status={record.status} /> },
    { key: "problem", title: say("problem"), cell: (record) => <Cause record={record} open={open} /> },
    {
      key: "menu",
      title: say("more", { number: "" }),
      isActions: true,
      cell: (record) => <RecordMenu record={record} open={open} />,
    },
  ];
}

function useRecordFilter(): RecordFilter {
  const { get, page } = useFilters();
  return {
    status: STATUSES.find((status) => status === get("status")) ?? null,
    needsAction: get("needsAction") === "true",
    page,
  };
}

function Dialogs({ opened, onClose }: { opened: Opened; onClose: () => void }) {
  if (opened.dialog === "history") return <History record={opened.record} onClose={onClose} />;
  if (opened.dialog === "annul") return <Annulment record={opened.record} onClose={onClose} />;
  return <Emission record={opened.record} onClose={onClose} />;
}

/** The records by status, each with its cause in plain words and the way to mend it. */
export function Records() {
  const say = useEinvoiceText();
  const { set } = useFilters();
  const filter = useRecordFilter();
  const records = useRecords(filter);
  const [opened, setOpened] = useState<Opened | null>(null);
  const columns = useColumns(setOpened);
  const isFiltered = filter.status !== null || filter.needsAction;
  return (
    <>
      <FilterTabs
        label={say("status")}
        name="status"
        tabs={[{ value: "", label: say("all") }, ...STATUSES.map((value) => ({ value, label: say(value) }))]}
      />
      <Checkbox
        label={say("needsAction")}
        checked={filter.needsAction}
        onChange={(checked) => set({ needsAction: checked ? "true" : null })}
      />
      <Loaded query={records} lines={10}>
        {(page) =>
          page.items.length === 0 ? (
            <EmptyState icon="shield" title={say(isFiltered ? "noneFiltered" : "noRecords")}>
              {isFiltered ? null : say("noRecordsText")}
            </EmptyState>
          ) : (
            <>
              <Table caption={say("records")} columns={columns} rows={page.items} rowKey={(row) => row.id} />
              <Pager page={page.page} pageSize={page.pageSize} total={page.total} />
            </>
          )
        }
      </Loaded>
      {opened && <Dialogs opened={opened} onClose={() => setOpened(null)} />}
    </>
  );
}
