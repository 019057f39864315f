import { useState, type FormEvent } from "react";
import { Link } from "react-router";
import type { Schemas } from "../api/client";
import { ProblemError } from "../api/problem";
import { useTeam } from "../app/session";
import { day, decimal, money } from "../texts/formats";
import { Button } from "../ui/Button";
import { DecimalField } from "../ui/DecimalField";
import { Dialog } from "../ui/Dialog";
import { Loaded } from "../ui/Loaded";
import { ProblemNotice } from "../ui/notices";
import { Facts } from "../ui/page";
import { Table } from "../ui/Table";
import { toast } from "../ui/toasts";
import { useChange } from "./actions";
import { boxOf } from "./FormDrawing";
import { useEvidence, type Versioned } from "./queries";
import { useTaxText } from "./texts";

type EvidenceDocument = Schemas["EvidenceDocument"];

const PLACES: Record<EvidenceDocument["origin"], string> = {
  invoice: "/invoices",
  expense: "/expenses",
  supplier_invoice: "/payables",
};

function EvidenceTable({ documents }: { documents: readonly EvidenceDocument[] }) {
  const say = useTaxText();
  const { currency } = useTeam();
  return (
    <Table
      caption={say("evidence")}
      rows={documents}
      rowKey={(row) => row.documentId}
      columns={[
        {
          key: "number",
          title: say("evidenceNumber"),
          isName: true,
          cell: (row) => (
            <Link to={`${PLACES[row.origin]}/${row.documentId}`}>{row.number ?? say("noNumber")}</Link>
          ),
        },
        { key: "date", title: say("evidenceDate"), cell: (row) => day(row.date) },
        { key: "party", title: say("evidenceParty"), cell: (row) => <bdi>{row.party}</bdi> },
        {
          key: "amount",
          title: say("evidenceAmount"),
          isFigure: true,
          cell: (row) => money(row.amount, currency),
        },
      ]}
    />
  );
}

function Evidence({ versioned, box }: { versioned: Versioned; box: string }) {
  const say = useTaxText();
  const [page, setPage] = useState(1);
  const { declaration } = versioned;
  const hasEvidence = (declaration.evidence[box] ?? []).length > 0;
  const evidence = useEvidence(declaration.id, box, page, hasEvidence);
  if (!hasEvidence) return <p className="soft">{say("noEvidence")}</p>;
  return (
    <Loaded query={evidence} lines={5}>
      {({ items, total, pageSize }) => (
        <>
          <EvidenceTable documents={items} />
          {total > pageSize && (
            <nav className="pager" aria-label={say("evidence")}>
              <Button
                icon="left"
                label={say("before")}
                disabled={page === 1}
                onClick={() => setPage(page - 1)}
              />
              <span>
                {page} / {Math.ceil(total / pageSize)}
              </span>
              <Button
                icon="right"
                label={say("after")}
                disabled={page * pageSize >= total}
                onClick={() => setPage(page + 1)}
              />
            </nav>
          )}
        </>
      )}
    </Loaded>
  );
}

function Override({ versioned, box, onSaved }: { versioned: Versioned; box: string; onSaved: () => void }) {
  const say = useTaxText();
  const { declaration, version } = versioned;
  const [value, setValue] = useState(String(boxOf(declaration, box).value));
  const change = useChange(() => {
    toast(say("boxSaved", { box }));
    onSaved();
  });
  const refused =
    change.error instanceof ProblemError ? change.error.forField(`manualOverrides.${box}`) : undefined;
  function save(event: FormEvent): void {
    event.preventDefault();
    const manualOverrides = { ...declaration.manualOverrides, [box]: Number(value) };
    change.mutate({ id: declaration.id, version, change: { manualOverrides } });
  }
  return (
    <form className="stack" onSubmit={save} noValidate>
      <DecimalField
        label={say("boxOverride")}
        hint={say("boxOverrideHint")}
        error={refused}
        value={value}
        onChange={setValue}
      />
      <ProblemNotice error={change.error} />
      <p>
        <Button type="submit" kind="primary" busy={change.isPending} disabled={value === ""}>
          {say("boxSave")}
        </Button>
      </p>
    </form>
  );
}

interface Props {
  versioned: Versioned;
  box: string;
  mayChange: boolean;
  onClose: () => void;
}

/** A box: its value, the documents behind it, and the way to replace it. */
export function BoxDialog({ versioned, box, mayChange, onClose }: Props) {
  const say = useTaxText();
  const { declaration } = versioned;
  const { value, computed, isOverridden } = boxOf(declaration, box);
  return (
    <Dialog title={say("boxTitle", { box })} place="side" onClose={onClose}>
      <div className="stack">
        <p>{declaration.boxNames[box]}</p>
        <Facts
          facts={[
            [say("boxValue"), decimal(value, 2)],
            [say("boxComputed"), isOverridden ? decimal(computed, 2) : null],
          ]}
        />
        <h3>{say("evidence")}</h3>
        <Evidence versioned={versioned} box={box} />
        {mayChange && <Override versioned={versioned} box={box} onSaved={onClose} />}
      </div>
    </Dialog>
  );
}
