import { useState, type FormEvent } from "react";
import { ProblemError } from "../api/problem";
import { Button } from "../ui/Button";
import { Select, TextArea, TextField } from "../ui/fields";
import { ProblemNotice } from "../ui/notices";
import { Card, Facts } from "../ui/page";
import { toast } from "../ui/toasts";
import { useChange } from "./actions";
import type { Declaration, Versioned } from "./queries";
import { useTaxText } from "./texts";

function Shown({ declaration }: { declaration: Declaration }) {
  const say = useTaxText();
  const { declarationType, declarationTypes, iban, notes } = declaration;
  const type = declarationType && `${declarationType} ${declarationTypes[declarationType] ?? ""}`;
  return (
    <Card title={say("choices")}>
      <Facts
        facts={[
          [say("declarationType"), type],
          [say("iban"), iban],
          [say("notes"), notes && <bdi className="tax-notes">{notes}</bdi>],
        ]}
      />
    </Card>
  );
}

/** What is decided by hand for the filing: type, IBAN and notes. */
export function Choices({ versioned, mayChange }: { versioned: Versioned; mayChange: boolean }) {
  const say = useTaxText();
  const { declaration, version } = versioned;
  const [typed, setTyped] = useState({
    declarationType: declaration.declarationType ?? "",
    iban: declaration.iban ?? "",
    notes: declaration.notes ?? "",
  });
  const change = useChange(() => toast(say("saved")));
  const refused = (field: string) =>
    change.error instanceof ProblemError ? change.error.forField(field) : undefined;
  if (!mayChange) return <Shown declaration={declaration} />;
  function save(event: FormEvent): void {
    event.preventDefault();
    const { declarationType, iban, notes } = typed;
    const changed = declarationType !== (declaration.declarationType ?? "");
    change.mutate({
      id: declaration.id,
      version,
      change: {
        iban: iban || null,
        notes: notes || null,
        ...(changed ? { declarationType: declarationType || null } : {}),
      },
    });
  }
  return (
    <Card title={say("choices")}>
      <form className="stack" onSubmit={save} noValidate>
        <Select
          label={say("declarationType")}
          none={say("usualType", { kind: say(declaration.resultKind).toLowerCase() })}
          error={refused("declarationType")}
          value={typed.declarationType}
          options={Object.entries(declaration.declarationTypes).map(([value, name]) => ({
            value,
            label: `${value} ${name}`,
          }))}
          onChange={(declarationType) => setTyped({ ...typed, declarationType })}
        />
        <TextField
          label={say("iban")}
          error={refused("iban")}
          value={typed.iban}
          autoComplete="off"
          onChange={(iban) => setTyped({ ...typed, iban })}
        />
        <TextArea
          label={say("notes")}
          error={refused("notes")}
          value={typed.notes}
          onChange={(notes) => setTyped({ ...typed, notes })}
        />
        <ProblemNotice error={change.error} />
        <p>
          <Button type="submit" busy={change.isPending}>
            {say("save")}
          </Button>
        </p>
      </form>
    </Card>
  );
}
