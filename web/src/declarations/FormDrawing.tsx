import { useState } from "react";
import type { Schemas } from "../api/client";
import { useTeam } from "../app/session";
import { decimal, money } from "../texts/formats";
import { Button } from "../ui/Button";
import { Checkbox } from "../ui/fields";
import { ProblemNotice, Status } from "../ui/notices";
import { Card } from "../ui/page";
import { toast } from "../ui/toasts";
import { useChange } from "./actions";
import { BoxDialog } from "./BoxDialog";
import type { Declaration, Versioned } from "./queries";
import { useTaxText } from "./texts";

type Line = Schemas["FormLine"];

/** Value of a box as the declaration has it, and whether somebody replaced the computed one. */
export function boxOf(declaration: Declaration, box: string) {
  const computed = declaration.boxes[box] ?? 0;
  return {
    value: declaration.effectiveBoxes[box] ?? computed,
    computed,
    isOverridden: box in declaration.manualOverrides,
  };
}

const isFilled = (declaration: Declaration, line: Line) =>
  line.boxes.some((box) => {
    const { value, computed, isOverridden } = boxOf(declaration, box);
    return value !== 0 || computed !== 0 || isOverridden;
  });

/** `Tax due at 8 %: taxable base` on the line `Tax due at 8 %` is `taxable base`. */
function nameOnLine(name: string, line: string): string {
  return name.startsWith(line) ? name.slice(line.length).replace(/^[:,\s]+/, "") : name;
}

interface BoxCellProps {
  declaration: Declaration;
  box: string;
  line: string;
  mayChange: boolean;
  onOpen: (box: string) => void;
  onUndo: (box: string) => void;
}

function BoxCell({ declaration, box, line, mayChange, onOpen, onUndo }: BoxCellProps) {
  const say = useTaxText();
  const { currency } = useTeam();
  const { value, computed, isOverridden } = boxOf(declaration, box);
  const name = declaration.boxNames[box] ?? "";
  const hasDocuments = (declaration.evidence[box] ?? []).length > 0;
  return (
    <div className={isOverridden ? "box box-overridden" : "box"}>
      <button
        type="button"
        className={hasDocuments ? "box-open box-documented" : "box-open"}
        onClick={() => onOpen(box)}
      >
        <span>
          <span className="only-read">{say("box")} </span>
          <span className="box-number">{box}</span>
          <span className="only-read"> {line}</span>
        </span>
        <span className="box-part">{nameOnLine(name, line)}</span>
        <span className="figure">{decimal(value, 2)}</span>
      </button>
      {isOverridden && (
        <p className="box-note">
          <Status tone="caution">{say("overridden", { value: money(computed, currency) })}</Status>
          {mayChange && (
            <Button
              kind="quiet"
              icon="undo"
              label={say("undoOverride", { box })}
              onClick={() => onUndo(box)}
            />
          )}
        </p>
      )}
    </div>
  );
}

function without(overrides: Declaration["manualOverrides"], box: string): Declaration["manualOverrides"] {
  return Object.fromEntries(Object.entries(overrides).filter(([key]) => key !== box));
}

interface SectionProps {
  title: string;
  lines: readonly Line[];
  cell: (box: string, line: string) => React.ReactNode;
}

function Section({ title, lines, cell }: SectionProps) {
  return (
    <Card title={title}>
      <ul className="form-lines">
        {lines.map((line) => (
          <li key={line.boxes.join()} className="form-line">
            <span className="form-line-name">{line.name}</span>
            <span className="form-boxes">{line.boxes.map((box) => cell(box, line.name))}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The form as it is printed: sections, lines and boxes. A box opens what is behind it. */
export function FormDrawing({ versioned, mayChange }: { versioned: Versioned; mayChange: boolean }) {
  const say = useTaxText();
  const { declaration, version } = versioned;
  const [onlyFilled, setOnlyFilled] = useState(true);
  const [opened, setOpened] = useState<string | null>(null);
  const [undone, setUndone] = useState<string | null>(null);
  const change = useChange(() => toast(say("undone", { box: undone ?? "" })));
  function undo(box: string): void {
    setUndone(box);
    const manualOverrides = without(declaration.manualOverrides, box);
    change.mutate({ id: declaration.id, version, change: { manualOverrides } });
  }
  const sections = declaration.sections
    .map(({ title, lines }) => ({
      title: title || say("sectionForm"),
      lines: onlyFilled ? lines.filter((line) => isFilled(declaration, line)) : lines,
    }))
    .filter(({ lines }) => lines.length > 0);
  return (
    <section className="stack" aria-label={say("boxes")}>
      <Checkbox label={say("onlyFilled")} checked={onlyFilled} onChange={setOnlyFilled} />
      <ProblemNotice error={change.error} />
      {sections.map(({ title, lines }) => (
        <Section
          key={title}
          title={title}
          lines={lines}
          cell={(box, line) => (
            <BoxCell
              key={box}
              declaration={declaration}
              box={box}
              line={line}
              mayChange={mayChange}
              onOpen={setOpened}
              onUndo={undo}
            />
          )}
        />
      ))}
      {opened !== null && (
        <BoxDialog versioned={versioned} box={opened} mayChange={mayChange} onClose={() => setOpened(null)} />
      )}
    </section>
  );
}
