import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "../api/actions";
import { api, saveFile, take, type Schemas } from "../api/client";
import { useMay } from "../app/session";
import { Button } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { TextArea, TextField } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { EmptyState, ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { toast } from "../ui/toasts";
import { useText } from "./texts";

type Entry = Schemas["BusinessEntry"];

const CONTEXT = ["context"];

function useContextOfBusiness() {
  return useQuery({ queryKey: CONTEXT, queryFn: ({ signal }) => take(api.GET("/api/context", { signal })) });
}

function Summary({ summary }: { summary: string }) {
  const say = useText();
  const mayWrite = useMay("context:write");
  const [typed, setTyped] = useState(summary);
  const save = useAction({
    run: (text: string) => take(api.PUT("/api/context/summary", { body: { summary: text } })),
    refreshes: [CONTEXT],
    onDone: () => toast(say("saved")),
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(typed);
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

function EntryDialog({ entry, onClose }: { entry: Entry | null; onClose: () => void }) {
  const say = useText();
  const [key, setKey] = useState(entry?.key ?? "");
  const [title, setTitle] = useState(entry?.title ?? "");
  const [content, setContent] = useState(entry?.content ?? "");
  const save = useAction({
    run: (body: Schemas["EntryInput"]) => take(api.PUT("/api/context/entry", { body })),
    refreshes: [CONTEXT],
    onDone: onClose,
  });
  return (
    <FormDialog
      title={say(entry ? "changeEntry" : "newEntry")}
      submit={say("save")}
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={() =>
        save.mutate({
          key: key.trim(),
          title: title.trim() || null,
          content,
          category: entry?.category ?? null,
        })
      }
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
      {(data) => (
        <>
          <Card title={say("contextSection")} actions={<DownloadButton />}>
            <Summary summary={data.summary} />
          </Card>
          <Card title={say("entries")} actions={button}>
            {data.entries.length === 0 ? (
              <EmptyState icon="info" title={say("noEntries")} />
            ) : (
              <ul className="entries">
                {data.entries.map((entry) => (
                  <EntryLine key={entry.key} entry={entry} onChange={() => setShown(entry)} />
                ))}
              </ul>
            )}
          </Card>
          {shown && <EntryDialog entry={shown === "new" ? null : shown} onClose={() => setShown(null)} />}
        </>
      )}
    </Loaded>
  );
}
