import { useCallback, useLayoutEffect, useRef } from "react";
import type { Taxes } from "../../countries/taxes";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/page";
import { useText } from "../texts";
import { withLines, type LineChange } from "./changes";
import type { LineErrors } from "./errors";
import { newLine, type InvoiceForm } from "./form";
import { LineEditor } from "./LineEditor";

export type ChangeForm = (change: (form: InvoiceForm) => InvoiceForm) => void;

interface Props {
  form: InvoiceForm;
  change: ChangeForm;
  amounts: Readonly<Record<string, string>>;
  errors: Readonly<Record<string, LineErrors>>;
  itemsError: string | undefined;
  currency: string;
  taxes: Taxes;
}

function neighbour(lines: InvoiceForm["lines"], key: string): string | undefined {
  const place = lines.findIndex((line) => line.key === key);
  return (lines[place + 1] ?? lines[place - 1])?.key;
}

type Focus = { line: string | undefined } | { element: Element | null };

function focusAfter(step: LineChange, lines: InvoiceForm["lines"]): Focus | null {
  if (step.kind === "add") return { line: step.line.key };
  if (step.kind === "move") return { element: document.activeElement };
  if (step.kind === "remove") return { line: neighbour(lines, step.key) };
  return null;
}

/** Changes of the lines, and the focus where the user works: in the new line, or in the field that moved with its line. */
function useLineChanges(lines: InvoiceForm["lines"], change: ChangeForm) {
  const listRef = useRef<HTMLOListElement>(null);
  const focusRef = useRef<Focus | null>(null);
  const linesRef = useRef(lines);
  useLayoutEffect(() => {
    linesRef.current = lines;
    const focus = focusRef.current;
    focusRef.current = null;
    if (focus === null) return;
    const element =
      "element" in focus
        ? focus.element
        : listRef.current?.querySelector(`[data-line="${focus.line}"] input`);
    if (element instanceof HTMLElement) element.focus();
  }, [lines]);
  const dispatch = useCallback(
    (step: LineChange) => {
      focusRef.current = focusAfter(step, linesRef.current);
      change((before) => withLines(before, step));
    },
    [change],
  );
  return { listRef, dispatch };
}

/** The lines: Enter adds one, Alt with an arrow moves one, and the focus goes along. */
export function Lines({ form, change, amounts, errors, itemsError, currency, taxes }: Props) {
  const say = useText();
  const { listRef, dispatch } = useLineChanges(form.lines, change);
  const vat = form.lines.at(-1)?.vat ?? "";
  return (
    <Card title={say("lines")}>
      <ol className="lines" ref={listRef} aria-label={say("lines")}>
        {form.lines.map((line, place) => (
          <LineEditor
            key={line.key}
            line={line}
            place={place}
            isLast={place === form.lines.length - 1}
            amount={amounts[line.key] ?? ""}
            currency={currency}
            taxes={taxes}
            errors={errors[line.key]}
            dispatch={dispatch}
          />
        ))}
      </ol>
      {itemsError && (
        <p className="field-error" role="alert">
          {itemsError}
        </p>
      )}
      <div className="row lines-foot">
        <Button icon="add" onClick={() => dispatch({ kind: "add", after: null, line: newLine(vat) })}>
          {say("addLine")}
        </Button>
        <p className="field-hint">{say("linesHint")}</p>
      </div>
    </Card>
  );
}
