import { useState } from "react";
import { useAction } from "../api/actions";
import { money } from "../texts/formats";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { FileDrop } from "../ui/files";
import { Loading, Notice, ProblemNotice } from "../ui/notices";
import { Table, type Column } from "../ui/Table";
import { toast } from "../ui/toasts";
import { chosenFile, sendDocuments, type ChosenFile, type Imported, type ImportPath } from "./documents";
import { useText } from "./texts";

type Problem = Imported["errors"][number];

function Problems({ errors }: { errors: readonly Problem[] }) {
  const say = useText();
  const columns: Column<Problem>[] = [
    { key: "row", title: say("row"), isName: true, cell: (problem) => String(problem.row ?? "") },
    { key: "field", title: say("field"), cell: (problem) => <bdi>{problem.field}</bdi> },
    { key: "message", title: say("message"), cell: (problem) => <bdi>{problem.message}</bdi> },
  ];
  return (
    <Table
      caption={say("errors")}
      columns={columns}
      rows={errors}
      rowKey={(problem) => `${problem.row}.${problem.field}.${problem.message}`}
    />
  );
}

function Outcome({ outcome }: { outcome: Imported }) {
  const say = useText();
  const isWrong = outcome.errors.length > 0;
  return (
    <div className="stack" role="status">
      <Notice
        tone={isWrong ? "caution" : "good"}
        title={
          isWrong
            ? say("wrong", { count: outcome.errors.length })
            : say("ready", { count: outcome.documents, total: money(outcome.total) })
        }
      >
        {isWrong && <p>{say("wrongText")}</p>}
      </Notice>
      {outcome.warnings.map((warning) => (
        <Notice key={warning} tone="info">
          <bdi>{warning}</bdi>
        </Notice>
      ))}
      {isWrong && <Problems errors={outcome.errors} />}
    </div>
  );
}

interface ImportDialogProps {
  path: ImportPath;
  title: string;
  text: string;
  /** First words of the queries that an import makes stale. */
  refreshes: readonly string[][];
  onClose: () => void;
}

/** Documents that other software made: tried first, stored when the trial is well. */
export function ImportDialog({ path, title, text, refreshes, onClose }: ImportDialogProps) {
  const say = useText();
  const [file, setFile] = useState<ChosenFile | null>(null);
  const trial = useAction({ run: (chosen: ChosenFile, key) => sendDocuments(path, chosen, true, key) });
  const importing = useAction({
    run: (chosen: ChosenFile, key) => sendDocuments(path, chosen, false, key),
    refreshes,
    onDone: (outcome) => {
      toast(say("imported", { count: outcome.documents }));
      onClose();
    },
  });
  const isReady = trial.data !== undefined && trial.data.errors.length === 0;
  return (
    <Dialog title={title} onClose={onClose} place="wide">
      <div className="stack">
        <p>{text}</p>
        <FileDrop
          label={file?.file.name ?? say("drop")}
          accept=".csv,.json,text/csv,application/json"
          limit={4}
          onFiles={([chosen]) => {
            if (!chosen) return;
            setFile(chosenFile(chosen));
            trial.mutate(chosenFile(chosen));
          }}
        />
        {trial.isPending && <Loading lines={3} />}
        {trial.data && !trial.isPending && <Outcome outcome={trial.data} />}
        <ProblemNotice error={trial.error ?? importing.error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>{say("cancel")}</Button>
          {isReady && file && (
            <Button kind="primary" busy={importing.isPending} onClick={() => importing.mutate(file)}>
              {say("now", { count: trial.data.documents })}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
