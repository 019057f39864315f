import { useQuery } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";
import { takeFile } from "../../api/client";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Loaded } from "../../ui/Loaded";
import { PdfView } from "../../ui/PdfView";
import { Card } from "../../ui/page";
import { usePaused } from "../../ui/paused";
import { pdfPath } from "../queries";
import { useText } from "../texts";

const PAUSE = 800;
const WIDE = "(min-width: 80rem)";

function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = globalThis.matchMedia(WIDE);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => globalThis.matchMedia(WIDE).matches,
  );
}

function Pdf({ id, version }: { id: string; version: string }) {
  const say = useText();
  const paused = usePaused(version, PAUSE);
  const pdf = useQuery({
    queryKey: ["invoices", "pdf", id, paused],
    queryFn: ({ signal }) => takeFile(pdfPath(id), { signal }),
    placeholderData: (before) => before,
    gcTime: 60_000,
  });
  return (
    <Loaded query={pdf} lines={12}>
      {({ blob }) => <PdfView content={blob} title={say("pdfOfDraft")} />}
    </Loaded>
  );
}

/** The server's own PDF of the saved draft: beside the form where there is room, else behind a button. */
export function PdfPane({ id, version }: { id: string; version: string }) {
  const say = useText();
  const isWide = useIsWide();
  const [isOpen, setOpen] = useState(false);
  if (isWide) {
    return (
      <Card title={say("pdfOfDraft")}>
        <Pdf id={id} version={version} />
      </Card>
    );
  }
  return (
    <>
      <Button icon="eye" onClick={() => setOpen(true)}>
        {say("showPdf")}
      </Button>
      {isOpen && (
        <Dialog title={say("pdfOfDraft")} place="wide" onClose={() => setOpen(false)}>
          <Pdf id={id} version={version} />
        </Dialog>
      )}
    </>
  );
}
