import type { Schemas } from "../api/client";
import { decimal, percent } from "../texts/formats";
import { Card } from "../ui/page";
import { Table } from "../ui/Table";
import { useTaxText } from "./texts";

type Field = Schemas["RecordFieldOnWire"];
type Fields = Readonly<Record<string, Field | undefined>>;

const isFigure = (field?: Field) => field?.kind === "amount" || field?.kind === "percent";

function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "number" ? decimal(value) : String(value);
}

/** The lines of a declaration that is a list, by the names of its fields. */
export function RecordList({
  records,
  fields,
}: {
  records: readonly Schemas["RecordOnWire"][];
  fields: Fields;
}) {
  const say = useTaxText();
  const names = [...new Set(records.flatMap((record) => Object.keys(record.fields)))].filter((name) =>
    records.some((record) => plain(record.fields[name]) !== ""),
  );
  function shown(name: string, value: unknown): string {
    const field = fields[name];
    const text = plain(value);
    if (text === "") return "";
    if (field?.kind === "flag") return say(value ? "yes" : "no");
    if (field?.kind === "amount") return decimal(String(value), 2);
    if (field?.kind === "percent") return percent(String(value));
    return field?.values[text] ?? text;
  }
  return (
    <Card title={say("recordsTitle")}>
      <div className="tax-records">
        <Table
          caption={say("recordsTitle")}
          rows={records}
          rowKey={(record) => String(records.indexOf(record))}
          columns={names.map((name, place) => ({
            key: name,
            title: fields[name]?.name ?? name,
            isName: place === 0,
            isFigure:
              isFigure(fields[name]) || records.some((record) => typeof record.fields[name] === "number"),
            cell: (record: Schemas["RecordOnWire"]) => <bdi>{shown(name, record.fields[name])}</bdi>,
          }))}
        />
      </div>
    </Card>
  );
}
