import type { Schemas } from "../api/client";
import { decimal } from "../texts/formats";
import { Button } from "../ui/Button";
import { Notice, ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { Table } from "../ui/Table";
import { toast } from "../ui/toasts";
import { useGeneration } from "./actions";
import type { Declaration } from "./queries";
import { useTaxText } from "./texts";

/** A value before or after a change; a dash where the box was not there. */
const shown = (value: number | null) => (value === null ? "—" : decimal(value, 2));

function ChangeTable({
  declaration,
  changes,
}: {
  declaration: Declaration;
  changes: readonly Schemas["BoxChange"][];
}) {
  const say = useTaxText();
  return (
    <Table
      caption={say("changes")}
      rows={changes}
      rowKey={(row) => row.box}
      columns={[
        {
          key: "box",
          title: say("box"),
          isName: true,
          cell: (row) => `${row.box} ${declaration.boxNames[row.box] ?? ""}`,
        },
        { key: "before", title: say("before"), isFigure: true, cell: (row) => shown(row.before) },
        { key: "after", title: say("after"), isFigure: true, cell: (row) => shown(row.after) },
      ]}
    />
  );
}

/** Compute a draft again, with all that was decided about it. */
export function useRegeneration(declaration: Declaration) {
  const say = useTaxText();
  const generation = useGeneration(() => toast(say("regenerated")));
  const { country, form, year, period } = declaration;
  return { generation, regenerate: () => generation.mutate({ country, form, year, period }) };
}

/** Says that the books have moved on since the declaration was computed. */
export function BooksChanged({ declaration, mayChange }: { declaration: Declaration; mayChange: boolean }) {
  const say = useTaxText();
  const { generation, regenerate } = useRegeneration(declaration);
  const { pendingChanges } = declaration;
  if (pendingChanges.length === 0) return null;
  return (
    <Notice
      tone="caution"
      title={say("changed")}
      action={
        mayChange && (
          <Button icon="refresh" busy={generation.isPending} onClick={regenerate}>
            {say("regenerate")}
          </Button>
        )
      }
    >
      <p>{say("changedText", { count: pendingChanges.length })}</p>
      <ChangeTable declaration={declaration} changes={pendingChanges} />
      <ProblemNotice error={generation.error} />
    </Notice>
  );
}

/** What the last computation changed. */
export function LastChanges({ declaration }: { declaration: Declaration }) {
  const say = useTaxText();
  if (declaration.changes.length === 0) return null;
  return (
    <Card title={say("changes")}>
      <ChangeTable declaration={declaration} changes={declaration.changes} />
    </Card>
  );
}
