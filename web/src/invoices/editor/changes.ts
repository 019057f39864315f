import type { CatalogMatch } from "./matches";
import { newLine, type InvoiceForm, type LineForm } from "./form";

/** Changes of the lines; each gives a new form and leaves the other lines as they are, so that they are not drawn anew. */
export type LineChange =
  | { kind: "type"; key: string; changes: Partial<LineForm> }
  | { kind: "choose"; key: string; item: CatalogMatch }
  | { kind: "add"; after: string | null; line: LineForm }
  | { kind: "remove"; key: string }
  | { kind: "move"; key: string; by: -1 | 1 };

function chosen(line: LineForm, item: CatalogMatch): LineForm {
  return {
    ...line,
    description: item.label,
    unitPrice: item.unitPrice,
    vat: item.taxRate ?? line.vat,
    exemptionCode: item.taxRate === null ? line.exemptionCode : "",
    catalogItemId: item.id,
    rest: item.unit === null ? {} : { unit: item.unit },
  };
}

function moved(lines: readonly LineForm[], key: string, by: -1 | 1): LineForm[] {
  const place = lines.findIndex((line) => line.key === key);
  const other = place + by;
  const order = [...lines];
  const line = order[place];
  const neighbour = order[other];
  if (line === undefined || neighbour === undefined) return order;
  order[place] = neighbour;
  order[other] = line;
  return order;
}

function added(lines: readonly LineForm[], after: string | null, line: LineForm): LineForm[] {
  const place = after === null ? lines.length : lines.findIndex((line) => line.key === after) + 1;
  return [...lines.slice(0, place), line, ...lines.slice(place)];
}

function changedLines(lines: readonly LineForm[], change: LineChange): LineForm[] {
  const replaced = (key: string, by: (line: LineForm) => LineForm) =>
    lines.map((line) => (line.key === key ? by(line) : line));
  switch (change.kind) {
    case "type":
      return replaced(change.key, (line) => ({ ...line, ...change.changes }));
    case "choose":
      return replaced(change.key, (line) => chosen(line, change.item));
    case "add":
      return added(lines, change.after, change.line);
    case "remove": {
      const left = lines.filter((line) => line.key !== change.key);
      return left.length > 0 ? left : [newLine(lines[0]?.vat ?? "")];
    }
    case "move":
      return moved(lines, change.key, change.by);
  }
}

export function withLines(form: InvoiceForm, change: LineChange): InvoiceForm {
  return { ...form, lines: changedLines(form.lines, change) };
}
