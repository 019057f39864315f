import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useReducer, useRef } from "react";
import { keyed } from "../../api/actions";
import { api, take } from "../../api/client";
import { ProblemError } from "../../api/problem";
import { asDataUrl } from "../../ui/files";
import { queueAfter, type Entry, type Event, type ScannedReceipt } from "./queue";

async function read(entry: Entry): Promise<ScannedReceipt> {
  const image = await asDataUrl(entry.file);
  return take(api.POST("/api/expenses/scan-receipt", { body: { image }, headers: keyed(entry.id) }));
}

function asProblem(error: unknown): ProblemError {
  return error instanceof ProblemError
    ? error
    : new ProblemError({ status: 0, code: "UNREADABLE_FILE", detail: String(error) });
}

/** The queue of receipts: files are read one after another, each with a key of its own. */
export function useQueue() {
  const [queue, tell] = useReducer(queueAfter, { entries: [], chosen: null });
  const queries = useQueryClient();
  const isReading = useRef(false);
  const waiting = queue.entries.find((entry) => entry.state === "waiting");
  const isBusy = queue.entries.some((entry) => entry.state === "reading");

  useEffect(() => {
    if (!waiting || isBusy || isReading.current) return;
    isReading.current = true;
    tell({ type: "began", id: waiting.id });
    read(waiting)
      .then((scanned): Event => ({ type: "read", id: waiting.id, scanned }))
      .catch((error: unknown): Event => ({ type: "failed", id: waiting.id, error: asProblem(error) }))
      .then((event) => {
        isReading.current = false;
        tell(event);
        void queries.invalidateQueries({ queryKey: ["ai"] });
      })
      .catch(() => undefined);
  }, [waiting, isBusy, queries]);

  return { queue, tell };
}
