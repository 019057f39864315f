import { Link } from "react-router";
import { Button } from "../../ui/Button";
import { Loading, Notice, ProblemNotice } from "../../ui/notices";
import { Card } from "../../ui/page";
import type { useAcceptReceipt } from "../actions";
import { ExpenseFields } from "../ExpenseFields";
import type { ExpenseForm } from "../form";
import { useText } from "../texts";
import { Picture } from "./Picture";
import { acceptance, type Entry, type Event, type ScannedReceipt } from "./queue";

const DOUBTFUL = 0.9;
const READ = ["description", "amount", "vendor", "date", "category", "taxRate"] as const;

type ReadField = (typeof READ)[number];

function isRead(field: keyof ExpenseForm): field is ReadField {
  return (READ as readonly string[]).includes(field);
}

/** What to say of a field: not read at all, or read with doubts. */
function useRemark(scanned: ScannedReceipt | null) {
  const say = useText();
  return (field: keyof ExpenseForm) => {
    if (scanned === null || !isRead(field)) return undefined;
    if (scanned[field] === null) return <span className="doubt">{say("notRead")}</span>;
    const confidence = scanned.confidence[field];
    if (confidence === null || confidence >= DOUBTFUL) return undefined;
    return <span className="doubt">{say("readWithDoubts")}</span>;
  };
}

function Warnings({ scanned }: { scanned: ScannedReceipt }) {
  const say = useText();
  return (
    <>
      {scanned.duplicates.map((duplicate) => (
        <Notice
          key={`${duplicate.reason}.${duplicate.expenseId ?? duplicate.receiptId}`}
          tone="caution"
          title={say(`duplicate_${duplicate.reason}`)}
          action={
            duplicate.expenseId && <Link to={`/expenses/${duplicate.expenseId}`}>{say("seeExpense")}</Link>
          }
        />
      ))}
      {scanned.warnings.map((warning) => (
        <Notice key={warning} tone="info">
          <bdi>{warning}</bdi>
        </Notice>
      ))}
    </>
  );
}

interface ReadingProps {
  entry: Entry;
  tell: (event: Event) => void;
  accept: ReturnType<typeof useAcceptReceipt>;
}

function Failed({ entry, tell }: Omit<ReadingProps, "accept">) {
  const say = useText();
  return (
    <>
      <ProblemNotice error={entry.error} onRetry={() => tell({ type: "again", id: entry.id })} />
      <Button onClick={() => tell({ type: "removed", id: entry.id })}>{say("leaveOut")}</Button>
    </>
  );
}

function ReadForm({ entry, tell, accept }: ReadingProps) {
  const say = useText();
  const remark = useRemark(entry.scanned);
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        accept.mutate({ id: entry.id, body: acceptance(entry) });
      }}
    >
      {entry.scanned && <Warnings scanned={entry.scanned} />}
      <ExpenseFields
        form={entry.form}
        refused={accept.error}
        remark={remark}
        currency={entry.scanned?.currency ?? "€"}
        onChange={(changes) => tell({ type: "typed", id: entry.id, changes })}
      />
      <ProblemNotice
        error={accept.error}
        onRetry={() => accept.mutate({ id: entry.id, body: acceptance(entry) })}
      />
      <div className="dialog-foot">
        <Button onClick={() => tell({ type: "removed", id: entry.id })}>{say("leaveOut")}</Button>
        <Button type="submit" kind="primary" icon="check" busy={accept.isPending}>
          {say("accept")}
        </Button>
      </div>
    </form>
  );
}

/** A file beside the fields that were read in it, to be corrected and accepted. */
export function Reading({ entry, tell, accept }: ReadingProps) {
  const say = useText();
  return (
    <div className="reading">
      <Picture file={entry.file} />
      <Card title={entry.file.name}>
        {(entry.state === "waiting" || entry.state === "reading") && (
          <>
            <p role="status">{say(entry.state === "reading" ? "reading" : "waiting")}</p>
            <Loading lines={8} />
          </>
        )}
        {entry.state === "failed" && <Failed entry={entry} tell={tell} />}
        {entry.state === "read" && <ReadForm entry={entry} tell={tell} accept={accept} />}
        {entry.state === "accepted" && <Notice tone="good" title={say("acceptedOne")} />}
      </Card>
    </div>
  );
}
