import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from "react";
import { useUiText } from "./texts";

export interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** Why the value was refused. */
  error?: string | undefined;
  required?: boolean;
  /** The label is for screen readers only, as in the rows of a table. */
  hideLabel?: boolean;
  className?: string;
}

interface Described {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
  "aria-required": true | undefined;
}

/** A label, its control, a hint and the reason of a refusal, tied together for everybody. */
export function Field({
  label,
  hint,
  error,
  required,
  hideLabel,
  className,
  children,
}: FieldProps & { children: (control: Described) => ReactNode }) {
  const id = useId();
  const say = useUiText();
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <div className={`field ${error ? "field-refused" : ""} ${className ?? ""}`.trim()}>
      <label htmlFor={id} className={hideLabel ? "only-read" : undefined}>
        {label}
        {required && <span className="field-required"> ({say("required")})</span>}
      </label>
      {children({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": error ? true : undefined,
        "aria-required": required || undefined,
      })}
      {hint && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

type Typed<Attributes> = Omit<Attributes, "onChange" | "value" | "required" | "className"> &
  FieldProps & { value: string; onChange: (value: string) => void };

function split<Attributes>(props: Typed<Attributes>) {
  const { label, hint, error, required, hideLabel, className, value, onChange, ...rest } = props;
  return { field: { label, hint, error, required, hideLabel, className }, value, onChange, rest };
}

export function TextField(props: Typed<InputHTMLAttributes<HTMLInputElement>>) {
  const { field, value, onChange, rest } = split(props);
  return (
    <Field {...field}>
      {(control) => (
        <input
          type="text"
          {...rest}
          {...control}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A calendar day as `2026-11-23`; empty text for none. The browser shows it as its owner's country does. */
export function DateField(props: Typed<InputHTMLAttributes<HTMLInputElement>>) {
  return <TextField {...props} type="date" />;
}

export function TextArea(props: Typed<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  const { field, value, onChange, rest } = split(props);
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          rows={3}
          {...rest}
          {...control}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export interface Option {
  value: string;
  label: string;
}

type SelectProps = Typed<SelectHTMLAttributes<HTMLSelectElement>> & {
  options: readonly Option[];
  none?: string;
};

/** One of several. `none` is the label of choosing nothing, whose value is the empty text. */
export function Select({ options, none, ...props }: SelectProps) {
  const { field, value, onChange, rest } = split(props);
  return (
    <Field {...field}>
      {(control) => (
        <select {...rest} {...control} value={value} onChange={(event) => onChange(event.target.value)}>
          {none !== undefined && <option value="">{none}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface Choice<Value> {
  value: Value;
  label: string;
  hint?: string;
}

interface ChoicesProps<Value> {
  legend: string;
  options: readonly Choice<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

/** One of a few, each with a line about what it means. */
export function Choices<Value extends string>({ legend, options, value, onChange }: ChoicesProps<Value>) {
  const id = useId();
  return (
    <fieldset className="choices">
      <legend>{legend}</legend>
      {options.map((option) => (
        <div key={option.value} className="checkbox">
          <input
            id={`${id}-${option.value}`}
            type="radio"
            name={id}
            value={option.value}
            checked={option.value === value}
            aria-describedby={option.hint ? `${id}-${option.value}-hint` : undefined}
            onChange={() => onChange(option.value)}
          />
          <label htmlFor={`${id}-${option.value}`}>{option.label}</label>
          {option.hint && (
            <p className="field-hint" id={`${id}-${option.value}-hint`}>
              {option.hint}
            </p>
          )}
        </div>
      ))}
    </fieldset>
  );
}

interface CheckboxProps {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

export function Checkbox({ label, hint, checked, onChange, disabled }: CheckboxProps) {
  const id = useId();
  return (
    <div className="checkbox">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
