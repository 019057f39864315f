import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { PATIENCE } from "../api/client";
import { isNoConnection, type ProblemError } from "../api/problem";
import { useMailLeaves } from "../app/session";
import type { Client } from "../clients/queries";
import { day, money } from "../texts/formats";
import { FormDialog } from "../ui/Dialog";
import { Loaded } from "../ui/Loaded";
import { Notice } from "../ui/notices";
import { Facts } from "../ui/page";
import { toast } from "../ui/toasts";
import { isDraft, rehearse, useIssue, useWarnings, type IssueBy } from "./actions";
import { LackingClient } from "./CompleteClient";
import { MailWordsFields, useMailWords } from "./MailWords";
import { fetchInvoice, recordOf, type Invoice } from "./queries";
import { useText } from "./texts";
import { TotalsTable, totalsOfInvoice } from "./TotalsTable";

interface Props {
  invoice: Invoice;
  by: IssueBy;
  onClose: () => void;
  /** It is not asked from the invoice's own page: what was issued and refused goes on there, with its cause. */
  isElsewhere?: boolean;
  onClientSaved?: (client: Client) => void;
}

/** Asks before a draft gets its number: shows the number and the amounts that a dry run says it would have. */
export function IssueDialog({ invoice, by, onClose, isElsewhere = false, onClientSaved }: Props) {
  const say = useText();
  const leaves = useMailLeaves();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const warn = useWarnings();
  const typed = useMailWords();
  const rehearsal = useQuery({
    queryKey: ["invoices", "number-to-be", invoice.id, by, invoice.updatedAt],
    queryFn: () => rehearse(invoice.id, by),
    networkMode: "always",
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const toInvoice = () => {
    onClose();
    void navigate(`/invoices/${invoice.id}`);
  };
  async function goOnThere(error: ProblemError): Promise<void> {
    if (!isElsewhere) return;
    const { data } = await fetchInvoice(invoice.id, AbortSignal.timeout(PATIENCE * 1000));
    if (isDraft(data)) return;
    const unheard = isNoConnection(error) && say("issuedUnheard", { number: data.number ?? "" });
    if (recordOf(data)?.status !== "rejected") toast(unheard || error.detail);
    toInvoice();
  }
  const issuing = useIssue(
    by,
    ({ number, warnings }) => {
      const told = rehearsal.data?.warnings ?? [];
      toast(say("issuedDone", { number }));
      warn({ warnings: warnings.filter((warning) => !told.includes(warning)) });
      toInvoice();
    },
    (error) => goOnThere(error).catch(() => undefined), // the dialog stands, with its error and its retry
  );
  const clientSaved = (client: Client) => {
    void queries.invalidateQueries({ queryKey: ["invoices"] });
    onClientSaved?.(client);
    issuing.reset();
    void rehearsal.refetch();
  };
  return (
    <FormDialog
      title={say("issueTitle")}
      submit={say(by === "emit" || !leaves ? "issue" : "issueAndSend")}
      busy={issuing.isPending || rehearsal.isFetching}
      error={issuing.error}
      onSubmit={() =>
        rehearsal.isSuccess ? issuing.issue(invoice.id, typed.words) : void rehearsal.refetch()
      }
      onClose={onClose}
    >
      <Loaded query={rehearsal}>
        {(issued) => (
          <>
            {issued?.warnings.map((warning) => (
              <Notice key={warning} tone="caution">
                <p>{say("warned", { warning })}</p>
              </Notice>
            ))}
            <Facts
              facts={[
                [say("number"), issued ? <strong key="number">{issued.number}</strong> : say("numberLater")],
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
      {by === "send" && <MailWordsFields typed={typed} error={issuing.error} />}
      <LackingClient
        error={issuing.error ?? rehearsal.error}
        clientId={invoice.clientId}
        onSaved={clientSaved}
      />
    </FormDialog>
  );
}
