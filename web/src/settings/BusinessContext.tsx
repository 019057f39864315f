import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "../api/actions";
import {
  api,
  NO_VERSION,
  put,
  saveFile,
  take,
  takeVersioned,
  type Schemas,
  type Versioned,
} from "../api/client";
import { useSaving } from "../api/saving";
import { useMay } from "../app/session";
import { EXAMPLES_ENTRY } from "../first_run/examplesInBooks";
import { Button } from "../ui/Button";
import { Conflict } from "../ui/Conflict";
import { FormDialog } from "../ui/Dialog";
import { TextArea, TextField } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { EmptyState, ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { toast } from "../ui/toasts";
import { useText } from "./texts";

type Entry = Schemas["BusinessEntry"];
type Context = Schemas["BusinessContext"];

/** The entry of a key; none where there is none yet. */
interface EntryShown {
  entry?: Entry | undefined;
}

const CONTEXT = ["context"];

const fetchContext = (signal?: AbortSignal): Promise<Versioned<Context>> =>
  takeVersioned(api.GET("/api/context", signal ? { signal } : {}));

function useContextOfBusiness() {
  return useQuery({ queryKey: CONTEXT, queryFn: ({ signal }) => fetchContext(signal) });
}

function Summary({ context }: { context: Versioned<Context> }) {
  const say = useText();
  const mayWrite = useMay("context:write");
  const [typed, setTyped] = useState(context.data.summary);
  const save = useSaving<Pick<Context, "summary">, Pick<Context, "summary">>({
    read: context,
    shown: ({ summary }) => summary,
    reload: fetchContext,
    run: (version) => put(version ?? NO_VERSION)("/api/context/summary", { body: { summary: typed } }),
    refreshes: [CONTEXT],
    onDone: () => toast(say("saved")),
    onTheirs: ({ summary }) => setTyped(summary),
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.save();
      }}
    >
      <TextArea
        label={say("contextSummary")}
        hint={say("contextHint")}
        rows={6}
        readOnly={!mayWrite}
        value={typed}
        onChange={setTyped}
        error={save.error?.forField("summary")}
      />
      <Conflict choice={save.conflict} />
      <ProblemNotice error={save.error} />
      {mayWrite && (
        <div className="row">
          <Button type="submit" kind="primary" busy={save.isPending}>
            {say("save")}
          </Button>
        </div>
      )}
    </form>
  );
}

interface EntryProps {
  /** Null for a new one. */
  entry: Entry | null;
  context: Versioned<Context>;
  onClose: () => void;
}

function EntryDialog({ entry, context, onClose }: EntryProps) {
  const say = useText();
  const [key, setKey] = useState(entry?.key ?? "");
  const [title, setTitle] = useState(entry?.title ?? "");
  const [content, setContent] = useState(entry?.content ?? "");
  const stored = (entries: readonly Entry[]) => entries.find((entry) => entry.key === key.trim());
  const save = useSaving<EntryShown, EntryShown>({
    read: { version: context.version, data: { entry: stored(context.data.entries) } },
    shown: ({ entry: one }) => one && [one.title, one.content],
    reload: async () => {
      const { version, data } = await fetchContext();
      return { version, data: { entry: stored(data.entries) } };
    },
    run: async (version) => {
      const body = {
        key: key.trim(),
        title: title.trim() || null,
        content,
        category: entry?.category ?? null,
      };
      const { response } = await put(version ?? NO_VERSION)("/api/context/entry", { body });
      return { data: {}, response };
    },
    refreshes: [CONTEXT],
    onDone: onClose,
    onTheirs: ({ entry: theirs }) => {
      setTitle(theirs?.title ?? "");
      setContent(theirs?.content ?? "");
    },
  });
  return (
    <FormDialog
      title={say(entry ? "changeEntry" : "newEntry")}
      submit={say("save")}
      busy={save.isPending}
      error={save.error}
      conflict={save.conflict}
      onClose={onClose}
      onSubmit={save.save}
    >
      <TextField
        label={say("entryKey")}
        hint={say("entryKeyHint")}
        required
        readOnly={entry !== null}
        value={key}
        onChange={setKey}
        error={save.error?.forField("key")}
      />
      <TextField
        label={say("entryTitle")}
        value={title}
        onChange={setTitle}
        error={save.error?.forField("title")}
      />
      <TextArea
        label={say("entryContent")}
        required
        value={content}
        onChange={setContent}
        error={save.error?.forField("content")}
      />
    </FormDialog>
  );
}

function EntryLine({ entry, onChange }: { entry: Entry; onChange: () => void }) {
  const say = useText();
  const mayWrite = useMay("context:write");
  const name = entry.title ?? entry.key;
  const remove = useAction({
    run: (key: string) => take(api.DELETE("/api/context/entry/{key}", { params: { path: { key } } })),
    refreshes: [CONTEXT],
    onDone: () => toast(say("entryRemoved", { name })),
  });
  return (
    <li className="entry">
      <div>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <p className="soft">
          <bdi>{entry.content}</bdi>
        </p>
        <ProblemNotice error={remove.error} />
      </div>
      {mayWrite && (
        <div className="row">
          <Button kind="quiet" icon="edit" label={`${say("changeEntry")}: ${name}`} onClick={onChange} />
          <Button
            kind="quiet"
            icon="trash"
            label={`${say("removeEntry")}: ${name}`}
            busy={remove.isPending}
            onClick={() => remove.mutate(entry.key)}
          />
        </div>
      )}
    </li>
  );
}

/** The whole context as one document, the way assistants read it. */
function DownloadButton() {
  const say = useText();
  const save = useAction({
    run: () => take(api.GET("/api/context/markdown")),
    onDone: ({ markdown }) =>
      saveFile(new Blob([markdown], { type: "text/markdown;charset=utf-8" }), "ledgerkit.md"),
  });
  return (
    <>
      <Button icon="download" busy={save.isPending} onClick={() => save.mutate()}>
        {say("contextDownload")}
      </Button>
      <ProblemNotice error={save.error} />
    </>
  );
}

/** The list of the examples in the books is no fact about the business; without it nobody could take them out again. */
const entriesOfPeople = ({ entries }: Context) => entries.filter(({ key }) => key !== EXAMPLES_ENTRY);

/** What assistants should know of the business. */
export function BusinessContext() {
  const say = useText();
  const mayWrite = useMay("context:write");
  const context = useContextOfBusiness();
  const [shown, setShown] = useState<Entry | "new" | null>(null);
  const button = mayWrite && (
    <Button icon="add" onClick={() => setShown("new")}>
      {say("newEntry")}
    </Button>
  );
  return (
    <Loaded query={context}>
      {({ data, version }) => (
        <>
          <Card title={say("contextSection")} actions={<DownloadButton />}>
            <Summary context={{ data, version }} />
          </Card>
          <Card title={say("entries")} actions={button}>
            {entriesOfPeople(data).length === 0 ? (
              <EmptyState icon="info" title={say("noEntries")} />
            ) : (
              <ul className="entries">
                {entriesOfPeople(data).map((entry) => (
                  <EntryLine key={entry.key} entry={entry} onChange={() => setShown(entry)} />
                ))}
              </ul>
            )}
          </Card>
          {shown && (
            <EntryDialog
              entry={shown === "new" ? null : shown}
              context={{ data, version }}
              onClose={() => setShown(null)}
            />
          )}
        </>
      )}
    </Loaded>
  );
}
