import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { useMailLeaves } from "../app/session";
import { day, money } from "../texts/formats";
import { FormDialog } from "../ui/Dialog";
import { Loaded } from "../ui/Loaded";
import { Facts } from "../ui/page";
import { toast } from "../ui/toasts";
import { numberToBe, useIssue, type IssueBy } from "./actions";
import type { Invoice } from "./queries";
import { useText } from "./texts";
import { TotalsTable, totalsOfInvoice } from "./TotalsTable";

interface Props {
  invoice: Invoice;
  by: IssueBy;
  onClose: () => void;
}

/** Asks before a draft gets its number: shows the number and the amounts that a dry run says it would have. */
export function IssueDialog({ invoice, by, onClose }: Props) {
  const say = useText();
  const leaves = useMailLeaves();
  const navigate = useNavigate();
  const rehearsal = useQuery({
    queryKey: ["invoices", "number-to-be", invoice.id, by, invoice.updatedAt],
    queryFn: () => numberToBe(invoice.id, by),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const issuing = useIssue(by, () => {
    toast(say("issuedDone", { number: rehearsal.data ?? "" }));
    onClose();
    void navigate(`/invoices/${invoice.id}`);
  });
  return (
    <FormDialog
      title={say("issueTitle")}
      submit={say(by === "emit" || !leaves ? "issue" : "issueAndSend")}
      busy={issuing.isPending || rehearsal.data === undefined}
      error={issuing.error}
      onSubmit={() => issuing.issue(invoice.id)}
      onClose={onClose}
    >
      <Loaded query={rehearsal}>
        {(number) => (
          <>
            <Facts
              facts={[
                [say("number"), <strong key="number">{number}</strong>],
                [say("client"), invoice.client.name && <bdi key="client">{invoice.client.name}</bdi>],
                [say("issueDate"), day(invoice.issueDate)],
                [say("total"), <strong key="total">{money(invoice.total, invoice.currency)}</strong>],
              ]}
            />
            <TotalsTable totals={totalsOfInvoice(invoice)} currency={invoice.currency} />
            <p>{say(by === "emit" ? "issueText" : leaves ? "issueAndSendText" : "issueAndKeepText")}</p>
          </>
        )}
      </Loaded>
    </FormDialog>
  );
}
