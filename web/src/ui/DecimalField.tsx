import { useState, type InputHTMLAttributes } from "react";
import { parsedDecimal, typedDecimal } from "../texts/formats";
import { Field, type FieldProps } from "./fields";
import { useUiText } from "./texts";

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value" | "required" | "className"> &
  FieldProps & {
    /** Decimal text with a point, as `1234.56`; empty for none. Money never becomes a float here. */
    value: string;
    onChange: (value: string) => void;
    /** What stands after the number, as `€` or `%`. */
    unit?: string;
  };

/** A number as people of the country type it: `1.234,56`. What cannot be read is said when the field is left. */
export function DecimalField({
  label,
  hint,
  error,
  required,
  hideLabel,
  className,
  value,
  onChange,
  unit,
  ...rest
}: Props) {
  const say = useUiText();
  const [typed, setTyped] = useState<string | null>(null);
  const [isLeft, setLeft] = useState(false);
  const shown = typed ?? typedDecimal(value);
  const isUnreadable = isLeft && shown.trim() !== "" && parsedDecimal(shown) === null;

  function type(text: string): void {
    setTyped(text);
    setLeft(false);
    if (text.trim() === "") onChange("");
    else onChange(parsedDecimal(text) ?? value);
  }

  function leave(): void {
    setLeft(true);
    if (parsedDecimal(shown) !== null || shown.trim() === "") setTyped(null);
  }

  return (
    <Field
      {...{ label, hint, required, hideLabel, className }}
      error={isUnreadable ? say("notANumber") : error}
    >
      {(control) => (
        <span className={unit ? "with-unit" : undefined}>
          <input
            {...rest}
            {...control}
            className="figure"
            inputMode="decimal"
            autoComplete="off"
            value={shown}
            onChange={(event) => type(event.target.value)}
            onBlur={(event) => {
              leave();
              rest.onBlur?.(event);
            }}
          />
          {unit && <span aria-hidden="true">{unit}</span>}
        </span>
      )}
    </Field>
  );
}
