import type { ProblemError } from "../api/problem";
import { Button } from "../ui/Button";
import { DecimalField } from "../ui/DecimalField";
import { TextField } from "../ui/fields";
import { emptyLine, type LineForm } from "./form";
import { useText } from "./texts";
import "./supplier_invoices.css";

interface LinesProps {
  lines: readonly LineForm[];
  refused: ProblemError | null;
  onChange: (lines: readonly LineForm[]) => void;
}

/** The lines of a purchase; Enter in a line adds another. */
export function PurchaseLines({ lines, refused, onChange }: LinesProps) {
  const say = useText();
  const change = (key: string, changes: Partial<LineForm>) =>
    onChange(lines.map((line) => (line.key === key ? { ...line, ...changes } : line)));
  const add = () => onChange([...lines, emptyLine(lines.at(-1)?.taxRate ?? "")]);
  const error = (place: number, field: string) => refused?.forField(`items[${place}].${field}`);
  return (
    <div className="purchase-lines" role="group" aria-label={say("lines")}>
      {lines.map((line, place) => (
        <div key={line.key} className="purchase-line">
          <TextField
            label={say("description")}
            value={line.description}
            onChange={(description) => change(line.key, { description })}
            error={error(place, "description")}
            onKeyDown={(event) => {
              if (event.key === "Enter") {
                event.preventDefault();
                add();
              }
            }}
          />
          <DecimalField
            label={say("quantity")}
            value={line.quantity}
            onChange={(quantity) => change(line.key, { quantity })}
            error={error(place, "quantity")}
          />
          <DecimalField
            label={say("unitPrice")}
            unit="€"
            value={line.unitPrice}
            onChange={(unitPrice) => change(line.key, { unitPrice })}
            error={error(place, "unitPrice")}
          />
          <DecimalField
            label={say("vat")}
            unit="%"
            value={line.taxRate}
            onChange={(taxRate) => change(line.key, { taxRate })}
            error={error(place, "taxRate")}
          />
          <Button
            kind="quiet"
            icon="trash"
            label={say("removeLine", { number: place + 1 })}
            disabled={lines.length === 1}
            onClick={() => onChange(lines.filter((one) => one.key !== line.key))}
          />
        </div>
      ))}
      <div className="row">
        <Button icon="add" onClick={add}>
          {say("addLine")}
        </Button>
      </div>
    </div>
  );
}
