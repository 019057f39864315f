import { useState } from "react";
import { useAction } from "../api/actions";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { FileDrop } from "../ui/files";
import { Notice, ProblemNotice } from "../ui/notices";
import { rowsOf, textOf, type CsvRow } from "./csv";
import { importRows } from "./csvImport";
import { useText } from "./texts";
import { Warnings } from "./Warnings";

function useImport(isDryRun: boolean) {
  const [done, setDone] = useState(0);
  const action = useAction({
    run: (rows: readonly CsvRow[], key) => importRows({ rows, isDryRun }, key, setDone),
    refreshes: isDryRun ? [] : [["catalog"]],
  });
  return { ...action, done };
}

interface Chosen {
  name: string;
  rows: CsvRow[];
}

function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  return (
    <div role="status">
      <p>{label}</p>
      <progress className="progress" aria-label={label} value={done} max={total} />
    </div>
  );
}

function RowErrors({ errors }: { errors: readonly string[] }) {
  const say = useText();
  if (errors.length === 0) return null;
  return (
    <Notice tone="caution" title={say("csvErrors", { count: errors.length })}>
      <ul className="import-errors">
        {errors.map((error) => (
          <li key={error}>
            <bdi>{error}</bdi>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

type Import = ReturnType<typeof useImport>;

/** How far the trial or the import is, what it brought, and why it failed. */
function Course({ chosen, trial, importing }: { chosen: Chosen; trial: Import; importing: Import }) {
  const say = useText();
  const total = chosen.rows.length;
  return (
    <>
      <p>{say(total > 0 ? "csvRows" : "csvEmpty", { count: total, file: chosen.name })}</p>
      {trial.isPending && (
        <Progress
          label={say("csvChecking", { done: trial.done, count: total })}
          done={trial.done}
          total={total}
        />
      )}
      <ProblemNotice error={trial.error} onRetry={() => trial.mutate(chosen.rows)} />
      {trial.data && !importing.data && (
        <output aria-live="polite">{say("csvValid", { count: trial.data.imported })}</output>
      )}
      {trial.data && <RowErrors errors={trial.data.errors} />}
      <Warnings warnings={trial.data?.warnings} />
      {importing.isPending && (
        <Progress
          label={say("csvImporting", { done: importing.done, count: total })}
          done={importing.done}
          total={total}
        />
      )}
      <ProblemNotice error={importing.error} onRetry={() => importing.mutate(chosen.rows)} />
      {importing.data && <Notice tone="good" title={say("csvDone", { count: importing.data.imported })} />}
    </>
  );
}

/** Import of a CSV: the file is read here, tried out on the server, and imported once somebody has seen what it does. */
export function CsvDialog({ onClose }: { onClose: () => void }) {
  const say = useText();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const trial = useImport(true);
  const importing = useImport(false);
  const valid = trial.data?.imported ?? 0;

  async function choose(files: File[]): Promise<void> {
    const file = files[0];
    if (!file) return;
    const rows = rowsOf(await textOf(file));
    setChosen({ name: file.name, rows });
    importing.reset();
    trial.reset();
    if (rows.length > 0) trial.mutate(rows);
  }

  return (
    <Dialog title={say("csvTitle")} onClose={onClose}>
      <div className="stack">
        {!importing.data && !importing.isPending && (
          <FileDrop
            label={say(chosen ? "csvOther" : "csvDrop")}
            accept=".csv,text/csv,text/plain"
            onFiles={(files) => void choose(files)}
          />
        )}
        {chosen === null && <p className="soft">{say("csvHint")}</p>}
        {chosen && <Course chosen={chosen} trial={trial} importing={importing} />}
      </div>
      <div className="dialog-foot">
        {importing.data && (
          <Button kind="primary" onClick={onClose}>
            {say("csvClose")}
          </Button>
        )}
        {chosen && !importing.data && valid > 0 && (
          <Button
            kind="primary"
            icon="upload"
            busy={importing.isPending}
            onClick={() => importing.mutate(chosen.rows)}
          >
            {say("csvImport", { count: valid })}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
