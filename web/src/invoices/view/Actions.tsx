import { useState } from "react";
import { useNavigate } from "react-router";
import { download } from "../../api/client";
import type { ProblemError } from "../../api/problem";
import { Button, ButtonLink } from "../../ui/Button";
import { Menu } from "../../ui/Menu";
import { useDelete, useDuplicate } from "../actions";
import { useNumber } from "../Badges";
import { IssueDialog } from "../IssueDialog";
import { ProblemDialog } from "../ProblemDialog";
import { pdfPath, recordOf, type Invoice } from "../queries";
import { useInvoiceRights, type InvoiceRights } from "../rights";
import { useText } from "../texts";
import { AnnulDialog } from "./AnnulDialog";
import { CreditNoteDialog } from "./CreditNoteDialog";
import { MailDialog } from "./MailDialog";
import { PaymentDialog } from "./PaymentDialog";

type Opened = "issue" | "send" | "pay" | "credit" | "annul" | null;

interface MenuProps {
  invoice: Invoice;
  rights: InvoiceRights;
  open: (dialog: Opened) => void;
  fail: (error: unknown) => void;
}

function MoreActions({ invoice, rights, open, fail }: MenuProps) {
  const say = useText();
  const numberOf = useNumber();
  const navigate = useNavigate();
  const record = recordOf(invoice);
  const duplicate = useDuplicate();
  const remove = useDelete(() => void navigate("/invoices"));
  const onError = (error: ProblemError) => fail(error);
  const xml = record && `/api/einvoice/xml/${invoice.id}?fiscalId=${encodeURIComponent(record.fiscalId)}`;
  return (
    <Menu
      label={say("moreOf", { number: numberOf(invoice) })}
      entries={[
        rights.credit && {
          key: "credit",
          label: say("correct"),
          icon: "undo",
          onSelect: () => open("credit"),
        },
        rights.duplicate && {
          key: "duplicate",
          label: say("duplicate"),
          icon: "copy",
          onSelect: () => duplicate.mutate(invoice.id, { onError }),
        },
        xml !== null && {
          key: "xml",
          label: say("downloadXml"),
          icon: "download",
          onSelect: () => void download(xml).catch(fail),
        },
        rights.annul && {
          key: "annul",
          label: say("annul"),
          icon: "close",
          isDanger: true,
          onSelect: () => open("annul"),
        },
        rights.remove && {
          key: "delete",
          label: say("deleteDraft"),
          icon: "trash",
          isDanger: true,
          onSelect: () => remove.mutate(invoice.id, { onError }),
        },
      ]}
    />
  );
}

function Dialogs({
  invoice,
  rights,
  opened,
  close,
}: {
  invoice: Invoice;
  rights: InvoiceRights;
  opened: Opened;
  close: () => void;
}) {
  switch (opened) {
    case "issue":
      return <IssueDialog invoice={invoice} by={rights.issueBy} onClose={close} />;
    case "send":
      return <MailDialog invoice={invoice} onClose={close} />;
    case "pay":
      return <PaymentDialog invoice={invoice} onClose={close} />;
    case "credit":
      return <CreditNoteDialog invoice={invoice} onClose={close} />;
    case "annul":
      return <AnnulDialog invoice={invoice} onClose={close} />;
    default:
      return null;
  }
}

/** The buttons of an invoice's page: what its state and the role allow. */
export function Actions({ invoice }: { invoice: Invoice }) {
  const say = useText();
  const rights = useInvoiceRights()(invoice);
  const [opened, open] = useState<Opened>(null);
  const [failed, fail] = useState<unknown>(null);
  return (
    <>
      <MoreActions invoice={invoice} rights={rights} open={open} fail={fail} />
      {invoice.origin !== "external" && (
        <Button icon="download" onClick={() => void download(pdfPath(invoice.id)).catch(fail)}>
          {say("pdf")}
        </Button>
      )}
      {rights.edit && (
        <ButtonLink icon="edit" to={`/invoices/${invoice.id}/edit`}>
          {say("edit")}
        </ButtonLink>
      )}
      {rights.pay && (
        <Button icon="cash" onClick={() => open("pay")}>
          {say("recordPayment")}
        </Button>
      )}
      {rights.send && (
        <Button kind="primary" icon="mail" onClick={() => open("send")}>
          {say("sendEllipsis")}
        </Button>
      )}
      {rights.issue && (
        <Button kind="primary" icon="check" onClick={() => open("issue")}>
          {say("issueEllipsis")}
        </Button>
      )}
      <Dialogs invoice={invoice} rights={rights} opened={opened} close={() => open(null)} />
      {failed !== null && <ProblemDialog error={failed} onClose={() => fail(null)} />}
    </>
  );
}
