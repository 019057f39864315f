import { useState } from "react";
import { useNavigate } from "react-router";
import { download } from "../api/client";
import type { ProblemError } from "../api/problem";
import { useMailLeaves } from "../app/session";
import { Menu } from "../ui/Menu";
import { toast } from "../ui/toasts";
import { copyLink, useDelete, useDuplicate, usePay, useShare } from "./actions";
import { useNumber } from "./Badges";
import { IssueDialog } from "./IssueDialog";
import { ProblemDialog } from "./ProblemDialog";
import { pdfPath, type Invoice } from "./queries";
import { useInvoiceRights } from "./rights";
import { useText } from "./texts";
import { MailDialog } from "./view/MailDialog";

/** What can be done with an invoice of a list, without opening it. */
export function InvoiceMenu({ invoice }: { invoice: Invoice }) {
  const say = useText();
  const numberOf = useNumber();
  const navigate = useNavigate();
  const rights = useInvoiceRights()(invoice);
  const leaves = useMailLeaves();
  const [isIssuing, setIssuing] = useState(false);
  const [isMailing, setMailing] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const pay = usePay();
  const duplicate = useDuplicate();
  const remove = useDelete();
  const share = useShare((url) => void copyLink(url).then(() => toast(say("linkCopied"))));
  const onError = (error: ProblemError) => setFailed(error);
  return (
    <>
      <Menu
        label={say("moreOf", { number: numberOf(invoice) })}
        entries={[
          rights.edit && {
            key: "edit",
            label: say("edit"),
            icon: "edit",
            onSelect: () => void navigate(`/invoices/${invoice.id}/edit`),
          },
          rights.mend && {
            key: "mend",
            label: say("refusedFixButton"),
            icon: "edit",
            onSelect: () => void navigate(`/invoices/${invoice.id}?open=correct`),
          },
          rights.issue && {
            key: "issue",
            label: say(rights.issueBy === "emit" || !leaves ? "issue" : "issueAndSend"),
            icon: "check",
            onSelect: () => setIssuing(true),
          },
          rights.send && {
            key: "send",
            label: say("sendByMail"),
            icon: "mail",
            onSelect: () => setMailing(true),
          },
          rights.pay && {
            key: "pay",
            label: say("markPaid"),
            icon: "cash",
            onSelect: () => pay.mutate({ id: invoice.id }, { onError }),
          },
          rights.duplicate && {
            key: "duplicate",
            label: say("duplicate"),
            icon: "copy",
            onSelect: () => duplicate.mutate(invoice.id, { onError }),
          },
          rights.share && {
            key: "share",
            label: say("copyShareLink"),
            icon: "link",
            onSelect: () => share.mutate(invoice.id, { onError }),
          },
          invoice.origin !== "external" && {
            key: "pdf",
            label: say("downloadPdf"),
            icon: "download",
            onSelect: () => void download(pdfPath(invoice.id)).catch(setFailed),
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
      {isMailing && <MailDialog invoice={invoice} onClose={() => setMailing(false)} />}
      {isIssuing && (
        <IssueDialog invoice={invoice} by={rights.issueBy} isElsewhere onClose={() => setIssuing(false)} />
      )}
      {failed !== null && <ProblemDialog error={failed} onClose={() => setFailed(null)} />}
    </>
  );
}
