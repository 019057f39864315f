import { useState } from "react";
import { useAction } from "../api/actions";
import { FormDialog } from "../ui/Dialog";
import { Typeahead, type Match } from "../ui/Typeahead";
import { useText } from "./texts";

interface MergeDialogProps<Merged> {
  /** The record that stays. */
  kept: { id: string; name: string };
  /** The records among which the duplicate is: `clients` or `vendors`. */
  domain: string;
  search: (text: string, signal: AbortSignal) => Promise<readonly Match[]>;
  run: (duplicateId: string, idempotencyKey: string) => Promise<Merged>;
  refreshes: readonly (readonly string[])[];
  onMerged: (merged: Merged) => void;
  onClose: () => void;
}

/** The question which record is the duplicate of this one, and what happens with both. */
export function MergeDialog<Merged>(props: MergeDialogProps<Merged>) {
  const { kept, domain } = props;
  const say = useText();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<Match | null>(null);
  const [refused, setRefused] = useState<string>();
  const merging = useAction({
    run: props.run,
    refreshes: props.refreshes,
    onDone: props.onMerged,
  });
  async function others(text: string, signal: AbortSignal): Promise<Match[]> {
    return (await props.search(text, signal)).filter((one) => one.id !== kept.id);
  }
  function send(): void {
    if (chosen === null) setRefused(say("chooseOne"));
    else merging.mutate(chosen.id);
  }
  function choose(match: Match | null, text: string): void {
    setTyped(text);
    setChosen(match);
    setRefused(undefined);
  }
  return (
    <FormDialog
      title={say("title", { name: kept.name })}
      submit={say("merge")}
      kind="danger"
      busy={merging.isPending}
      error={merging.error}
      onSubmit={send}
      onClose={props.onClose}
    >
      <div className="stack">
        <Typeahead
          label={say("duplicate")}
          required
          value={typed}
          onType={(text) => choose(null, text)}
          onChoose={(match) => choose(match, match.label)}
          queryKey={[domain, "others", kept.id]}
          search={others}
          error={refused ?? merging.error?.forField("duplicateId")}
        />
        {chosen !== null && (
          <>
            <p>{say("whatGoes", { duplicate: chosen.label, name: kept.name })}</p>
            <p>{say("whatStays")}</p>
            <p>
              <strong>{say("forever")}</strong>
            </p>
          </>
        )}
      </div>
    </FormDialog>
  );
}
