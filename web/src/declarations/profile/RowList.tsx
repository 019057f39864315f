import { Button } from "../../ui/Button";
import { useTaxText, type TaxText } from "../texts";
import { RowFields } from "./RowFields";
import type { Row, RowField } from "./rows";

interface Props {
  /** Name of one entry: "Activity". */
  title: string;
  /** Explains what the list is for. */
  lead: string;
  add: string;
  fields: readonly RowField<TaxText>[];
  rows: readonly Row[];
  /** A new entry. */
  empty: Row;
  most: number;
  mayWrite: boolean;
  refused: (place: number, name: string) => string | undefined;
  onChange: (rows: readonly Row[]) => void;
}

/** A list of the profile: each entry with its fields and the way to take it out, and the way to add one. */
export function RowList({ title, lead, add, fields, rows, empty, most, mayWrite, refused, onChange }: Props) {
  const say = useTaxText();
  return (
    <div className="stack">
      <p className="soft">{lead}</p>
      {rows.map((row, place) => (
        <fieldset key={place} className="stack profile-entry">
          <legend>
            {title} {place + 1}
          </legend>
          <RowFields
            fields={fields}
            row={row}
            refused={(name) => refused(place, name)}
            onChange={(changed) => onChange(rows.map((row, at) => (at === place ? changed : row)))}
          />
          {mayWrite && (
            <div className="row">
              <Button
                kind="quiet"
                icon="trash"
                onClick={() => onChange(rows.filter((_, at) => at !== place))}
              >
                {say("takeOut", { entry: `${title} ${place + 1}` })}
              </Button>
            </div>
          )}
        </fieldset>
      ))}
      {mayWrite && rows.length < most && (
        <div className="row">
          <Button icon="add" onClick={() => onChange([...rows, empty])}>
            {add}
          </Button>
        </div>
      )}
    </div>
  );
}
