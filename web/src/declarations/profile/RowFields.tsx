import { Fragment } from "react";
import { CountryField } from "../../ui/CountryField";
import { DecimalField } from "../../ui/DecimalField";
import { Checkbox, DateField, Select, TextField } from "../../ui/fields";
import { useUiText } from "../../ui/texts";
import { useTaxText, type TaxText } from "../texts";
import { unknownFlag, type Row, type RowField } from "./rows";

interface Props {
  fields: readonly RowField<TaxText>[];
  row: Row;
  /** Why a field was refused, by its name. */
  refused: (name: string) => string | undefined;
  onChange: (row: Row) => void;
}

interface OneProps {
  field: RowField<TaxText>;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function useOptions({ kind, options = [] }: RowField<TaxText>) {
  const say = useTaxText();
  const word = useUiText();
  if (kind === "truth")
    return [
      { value: "true", label: word("yes") },
      { value: "false", label: word("no") },
    ];
  return options.map(([value, label]) => ({
    value,
    label: label.startsWith("kind_") ? `${value} ${say(label)}` : say(label),
  }));
}

function OneField({ field, value, error, onChange }: OneProps) {
  const say = useTaxText();
  const options = useOptions(field);
  const common = { label: say(field.label), value, error, onChange, required: field.required ?? false };
  if (field.kind === "choice" || field.kind === "truth")
    return <Select {...common} options={options} {...(field.required ? {} : { none: say("unstated") })} />;
  if (field.kind === "country") return <CountryField {...common} none={say("unstated")} />;
  if (field.kind === "day") return <DateField {...common} />;
  if (field.kind === "amount" || field.kind === "percent")
    return <DecimalField {...common} unit={field.kind === "percent" ? "%" : "€"} />;
  return (
    <TextField
      {...common}
      maxLength={field.max}
      inputMode={field.kind === "digits" || field.kind === "count" ? "numeric" : undefined}
    />
  );
}

/** The choice to state that the value is not known, which takes its field away. */
function UnknownField({
  field,
  row,
  onChange,
}: {
  field: RowField<TaxText>;
  row: Row;
  onChange: Props["onChange"];
}) {
  const say = useTaxText();
  return (
    <Checkbox
      label={say("unknownSince", { field: say(field.label) })}
      checked={row[unknownFlag(field.name)] === "true"}
      onChange={(checked) =>
        onChange({ ...row, [field.name]: "", [unknownFlag(field.name)]: String(checked) })
      }
    />
  );
}

/** The fields of one entry of the profile. */
export function RowFields({ fields, row, refused, onChange }: Props) {
  return (
    <div className="columns">
      {fields.map((field) => (
        <Fragment key={field.name}>
          {row[unknownFlag(field.name)] !== "true" && (
            <OneField
              field={field}
              value={row[field.name] ?? ""}
              error={refused(field.name)}
              onChange={(value) => onChange({ ...row, [field.name]: value })}
            />
          )}
          {field.mayBeUnknown && <UnknownField field={field} row={row} onChange={onChange} />}
        </Fragment>
      ))}
    </div>
  );
}
