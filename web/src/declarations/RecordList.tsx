import type { Schemas } from "../api/client";
import { decimal } from "../texts/formats";
import { Card } from "../ui/page";
import { Table } from "../ui/Table";
import { useTaxText } from "./texts";

function shown(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "number" ? decimal(value) : String(value);
}

/** The lines of a declaration that is a list, in the fields of its official design. */
export function RecordList({ records }: { records: readonly Schemas["RecordOnWire"][] }) {
  const say = useTaxText();
  const names = [...new Set(records.flatMap((record) => Object.keys(record.fields)))].filter((name) =>
    records.some((record) => shown(record.fields[name]) !== ""),
  );
  return (
    <Card title={say("recordsTitle")}>
      <div className="tax-records">
        <Table
          caption={say("recordsTitle")}
          rows={records}
          rowKey={(record) => String(records.indexOf(record))}
          columns={names.map((name, place) => ({
            key: name,
            title: name,
            isName: place === 0,
            isFigure: records.some((record) => typeof record.fields[name] === "number"),
            cell: (record: Schemas["RecordOnWire"]) => <bdi>{shown(record.fields[name])}</bdi>,
          }))}
        />
      </div>
    </Card>
  );
}
