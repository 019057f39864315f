import { useState } from "react";
import { saveFile, takeFile } from "../api/client";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/notices";
import { pdfPath } from "./queries";
import type { Invoice } from "./queries";
import { useText } from "./texts";
import { zip, type ZipEntry } from "./zip";

/** Fetch the PDFs one after another, so that the server makes one at a time. */
async function collected(invoices: readonly Invoice[], onOne: (done: number) => void): Promise<Blob> {
  const entries: ZipEntry[] = [];
  for (const invoice of invoices) {
    const { blob, name } = await takeFile(pdfPath(invoice.id));
    const isTaken = entries.some((entry) => entry.name === name);
    const content = new Uint8Array(await blob.arrayBuffer());
    entries.push({ name: isTaken ? `${entries.length + 1}-${name}` : name, content });
    onOne(entries.length);
  }
  return zip(entries);
}

/** The PDFs of the chosen invoices in one ZIP. */
export function BulkPdf({ chosen, onClear }: { chosen: readonly Invoice[]; onClear: () => void }) {
  const say = useText();
  const [done, setDone] = useState<number | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
  const printable = chosen.filter((invoice) => invoice.origin !== "external");

  async function save(): Promise<void> {
    setFailed(null);
    setDone(0);
    try {
      const blob = await collected(printable, setDone);
      saveFile(blob, `${say("zipName")}.zip`);
    } catch (error) {
      setFailed(error);
    } finally {
      setDone(null);
    }
  }

  if (chosen.length === 0) return null;
  return (
    <div className="stack">
      <div className="row bulk" role="group" aria-label={say("chosenActions")}>
        <span role="status">{say("chosen", { count: chosen.length })}</span>
        <Button icon="download" busy={done !== null} onClick={() => void save()}>
          {say("downloadChosen")}
        </Button>
        <Button kind="quiet" onClick={onClear}>
          {say("clearChosen")}
        </Button>
        {done !== null && (
          <progress value={done} max={printable.length} aria-label={say("downloadProgress")} />
        )}
      </div>
      <ProblemNotice error={failed} onRetry={() => void save()} />
    </div>
  );
}
