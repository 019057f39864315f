import { useQuery } from "@tanstack/react-query";
import { keyed, useAction } from "../api/actions";
import { api, takeFile, take, takePage, type Schemas } from "../api/client";
import { useMay } from "../app/session";
import { decimal } from "../texts/formats";
import { Button } from "../ui/Button";
import { asDataUrl, FileDrop } from "../ui/files";
import { Loaded } from "../ui/Loaded";
import { ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { toast } from "../ui/toasts";
import { useText } from "./texts";
import "./attachments.css";

type Attachment = Schemas["DocumentAttachment"];
type DocumentType = Schemas["DocumentType"];

interface Owner {
  type: DocumentType;
  id: string;
}

const ACCEPTED = "image/*,application/pdf,.xml";
const KILOBYTE = 1024;

function useAttachments({ type, id }: Owner) {
  const query = { documentType: type, documentId: id };
  return useQuery({
    queryKey: ["attachments", type, id],
    queryFn: ({ signal }) => takePage(api.GET("/api/attachments", { params: { query }, signal })),
  });
}

/** Tells files apart, so that each has an idempotency key of its own. */
const stampOf = (file: File): string => `${file.name} ${file.size} ${file.lastModified}`;

/** Open a file in a tab of its own: fetched with the session, since a link cannot carry the team. */
async function open(attachment: Attachment): Promise<void> {
  const { blob } = await takeFile(`/api/attachments/${attachment.id}/content`);
  const address = URL.createObjectURL(blob);
  globalThis.open(address, "_blank", "noopener");
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function Line({ attachment, refreshes }: { attachment: Attachment; refreshes: string[][] }) {
  const say = useText();
  const mayWrite = useMay("attachments:write");
  const { name } = attachment;
  const show = useAction({ run: () => open(attachment) });
  const remove = useAction({
    run: () => take(api.DELETE("/api/attachments/{id}", { params: { path: { id: attachment.id } } })),
    refreshes,
    onDone: () => toast(say("removed", { name })),
  });
  return (
    <li className="attachment">
      <Button
        kind="quiet"
        icon="eye"
        label={say("open", { name })}
        busy={show.isPending}
        onClick={() => show.mutate()}
      />
      <bdi>{name}</bdi>
      <span className="soft">{decimal(Math.ceil(attachment.size / KILOBYTE))} KiB</span>
      {mayWrite && (
        <Button
          kind="quiet"
          icon="trash"
          label={say("remove", { name })}
          busy={remove.isPending}
          onClick={() => remove.mutate()}
        />
      )}
      <ProblemNotice error={show.error ?? remove.error} />
    </li>
  );
}

/** The files of a record: photos, PDFs, XML. */
export function Attachments({ type, id }: Owner) {
  const say = useText();
  const mayWrite = useMay("attachments:write");
  const attachments = useAttachments({ type, id });
  const refreshes = [["attachments", type, id]];
  const upload = useAction({
    run: async ({ file }: { file: File; stamp: string }, key) => {
      const body = { name: file.name, content: await asDataUrl(file), documentType: type, documentId: id };
      return take(api.POST("/api/attachments", { body, headers: keyed(key) }));
    },
    refreshes,
    onDone: ({ name }) => toast(say("added", { name })),
  });
  return (
    <Card title={say("title")}>
      <div className="stack">
        <Loaded query={attachments} lines={1}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="soft">{say("none")}</p>
            ) : (
              <ul className="attachments">
                {items.map((item) => (
                  <Line key={item.id} attachment={item} refreshes={refreshes} />
                ))}
              </ul>
            )
          }
        </Loaded>
        {mayWrite && (
          <FileDrop
            label={say("add")}
            accept={ACCEPTED}
            onFiles={(files) => files[0] && upload.mutate({ file: files[0], stamp: stampOf(files[0]) })}
          />
        )}
        <ProblemNotice error={upload.error} />
      </div>
    </Card>
  );
}
