import { useAction } from "../api/actions";
import { download } from "../api/client";
import { money } from "../texts/formats";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Loading, Notice, ProblemNotice } from "../ui/notices";
import { changeOf } from "./cart";
import { useDocument, type Movement } from "./queries";
import { Receipt } from "./Receipt";
import { useText } from "./texts";

interface ReceiptDialogProps {
  movement: Movement;
  currency: string;
  title: string;
  /** Cash that the customer gave, right after a sale. */
  given?: string | null;
  warnings?: readonly string[];
  close: string;
  onClose: () => void;
}

function Change({ given, total, currency }: { given: string; total: number; currency: string }) {
  const say = useText();
  const change = money(changeOf(given, String(total)), currency);
  return (
    <output className="change change-large" aria-live="assertive">
      {say("changeDue", { amount: change })}
    </output>
  );
}

/** A receipt to read, to print on 80 mm, or to keep as the server's PDF. It is all that a print shows. */
export function ReceiptDialog(props: ReceiptDialogProps) {
  const { movement, currency, title, given, warnings = [], close, onClose } = props;
  const say = useText();
  const documentId = movement.creditNoteId ?? movement.invoiceId;
  const { invoice, qr } = useDocument(documentId);
  const pdf = useAction({ run: (id: string) => download(`/api/invoices/${id}/pdf?paper=receipt`) });
  const isReady = documentId === null || (!invoice.isPending && !qr.isPending);
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack">
        {given && <Change given={given} total={movement.amount} currency={currency} />}
        {warnings.length > 0 && (
          <Notice tone="caution" title={say("warnings")}>
            {warnings.map((warning) => (
              <p key={warning}>{warning}</p>
            ))}
          </Notice>
        )}
        <ProblemNotice error={invoice.error ?? qr.error ?? pdf.error} />
        {isReady ? (
          <Receipt movement={movement} currency={currency} invoice={invoice.data} qr={qr.data} />
        ) : (
          <Loading lines={6} />
        )}
        {documentId === null && <p className="soft">{say("noInvoice")}</p>}
      </div>
      <div className="dialog-foot till-touch">
        {documentId !== null && (
          <Button icon="download" busy={pdf.isPending} onClick={() => pdf.mutate(documentId)}>
            {say("pdf")}
          </Button>
        )}
        <Button icon="print" onClick={() => globalThis.print()}>
          {say("print")}
        </Button>
        <Button kind="primary" onClick={onClose}>
          {close}
        </Button>
      </div>
    </Dialog>
  );
}
