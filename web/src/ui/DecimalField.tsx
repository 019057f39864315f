import { useState, type InputHTMLAttributes } from "react";
import { isDecimal } from "../money/exact";
import { parsedDecimal, typedDecimal } from "../texts/formats";
import { Field, type FieldProps } from "./fields";
import { afterPress } from "./press";
import { useUiText } from "./texts";
import { UNREADABLE } from "./unreadable";

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value" | "required" | "className"> &
  FieldProps & {
    /**
     * Decimal text with a point, as `1234.56`; empty for none. Money never becomes a float here.
     * What cannot be read stays as it was typed, and is no decimal (`isDecimal`): it is never taken for its beginning.
     */
    value: string;
    onChange: (value: string) => void;
    /** What stands after the number, as `€` or `%`. */
    unit?: string;
  };

const shownOf = (value: string) => (isDecimal(value) ? typedDecimal(value) : value);

/**
 * A number as people of the country type it: `1.234,56`. What cannot be read is said when the field is left, and when
 * somebody wants to send it (`showUnreadable`).
 */
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
  const [isLeft, setLeft] = useState(true);
  const isUnreadable = value !== "" && !isDecimal(value);

  function type(text: string): void {
    setTyped(text);
    setLeft(false);
    onChange(text.trim() === "" ? "" : (parsedDecimal(text) ?? text));
  }

  function leave(): void {
    setTyped(null);
    afterPress(() => setLeft(true));
  }

  return (
    <Field
      {...{ label, hint, required, hideLabel, className }}
      error={isUnreadable && isLeft ? say("notANumber") : error}
    >
      {(control) => (
        <span className={unit ? "with-unit" : undefined}>
          <input
            {...rest}
            {...control}
            className="figure"
            inputMode="decimal"
            autoComplete="off"
            {...(isUnreadable ? { [UNREADABLE]: "" } : {})}
            value={typed ?? shownOf(value)}
            onChange={(event) => type(event.target.value)}
            onInvalid={() => setLeft(true)}
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
