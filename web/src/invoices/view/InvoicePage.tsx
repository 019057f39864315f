import { useParams } from "react-router";
import type { Versioned } from "../../api/client";
import { Doubts } from "../../ui/Doubts";
import { useFilters } from "../../ui/filters";
import { Loaded } from "../../ui/Loaded";
import { Notice } from "../../ui/notices";
import { Card, Page } from "../../ui/page";
import { isDraft } from "../actions";
import { FiscalBadge, StatusBadge, useNumber } from "../Badges";
import {
  recordOf,
  useEInvoiceStatus,
  useInvoice,
  usePayments,
  type EInvoice,
  type Invoice,
} from "../queries";
import { useInvoiceRights } from "../rights";
import { useText } from "../texts";
import { TotalsTable, totalsOfInvoice } from "../TotalsTable";
import { Actions } from "./Actions";
import { DocumentFacts } from "./DocumentFacts";
import { DocumentLines } from "./DocumentLines";
import { FiscalNotice } from "./FiscalNotice";
import { Locked } from "./Locked";
import { Payments } from "./Payments";
import { RefusedDialog } from "./RefusedDialog";
import { ShareSwitch } from "./ShareSwitch";
import { Timeline } from "./Timeline";
import "../invoices.css";

function Qr({ image, record }: { image: string | null | undefined; record: EInvoice | null }) {
  const say = useText(record?.environment);
  if (!image) return null;
  return (
    <Card title="QR">
      <div className="qr">
        <img src={image} alt={say("qr")} width={160} height={160} />
        <p className="soft">{say("qrText")}</p>
      </div>
    </Card>
  );
}

/** The address of the dialog that puts right what the authority refused: every «Corregir» leads here. */
const CORRECT = { open: "correct" };

function Content({ loaded }: { loaded: Versioned<Invoice> }) {
  const say = useText();
  const invoice = loaded.data;
  const rights = useInvoiceRights()(invoice);
  const { get, set } = useFilters();
  const record = recordOf(invoice);
  const mayAct = rights.annul || rights.credit || rights.mend;
  const isCorrecting = rights.mend && get("open") === CORRECT.open;
  const payments = usePayments(invoice.id);
  const fiscal = useEInvoiceStatus(invoice.id, record !== null);
  return (
    <>
      {isDraft(invoice) && <Notice title={say("draftNotice")} />}
      {!isDraft(invoice) && <Doubts warnings={invoice.warnings} />}
      <FiscalNotice invoice={invoice} record={record} mayAct={mayAct} onCorrect={() => set(CORRECT)} />
      {isCorrecting && <RefusedDialog loaded={loaded} onClose={() => set({ open: null })} />}
      <div className="editor">
        <div className="stack">
          <Card title={say("facts")}>
            <DocumentFacts invoice={invoice} />
          </Card>
          <Card title={say("lines")}>
            <DocumentLines invoice={invoice} />
          </Card>
          {!isDraft(invoice) && <Locked loaded={loaded} />}
          {invoice.origin !== "external" && <ShareSwitch invoice={invoice} mayShare={rights.share} />}
          <Qr image={fiscal.data?.qr} record={record} />
        </div>
        <div className="stack editor-aside">
          <Card title={say("totals")}>
            <TotalsTable
              totals={totalsOfInvoice(invoice)}
              retentionRate={String(invoice.retentionRate)}
              currency={invoice.currency}
            />
          </Card>
          {!isDraft(invoice) && <Payments invoice={invoice} payments={payments} />}
          <Card title={say("timeline")}>
            <Timeline
              invoice={invoice}
              payments={payments.data?.items ?? []}
              history={fiscal.data?.history ?? []}
            />
          </Card>
        </div>
      </div>
    </>
  );
}

/** `/invoices/:id`: the document, what has happened with it, and what can be done with it. */
export function InvoicePage() {
  const say = useText();
  const numberOf = useNumber();
  const { id = "" } = useParams();
  const query = useInvoice(id);
  const invoice = query.data?.data;
  const kind = invoice?.issuerIncomplete ? "no_invoice" : invoice?.docType;
  const title =
    invoice === undefined || kind === undefined
      ? say("invoices")
      : `${say(`kind_${kind}`)} · ${numberOf(invoice)}`;
  return (
    <Page
      title={title}
      lead={
        invoice && (
          <span className="badges">
            <StatusBadge invoice={invoice} />
            <FiscalBadge record={recordOf(invoice)} />
          </span>
        )
      }
      actions={invoice && <Actions invoice={invoice} />}
    >
      <Loaded query={query} lines={12}>
        {(read) => <Content loaded={read} />}
      </Loaded>
    </Page>
  );
}
