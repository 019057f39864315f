import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { keyed, useAction } from "../api/actions";
import { api, impatient, take, takeDryRun, type Schemas } from "../api/client";
import type { ProblemError } from "../api/problem";
import type { Say } from "../texts/define";
import { toast } from "../ui/toasts";
import type { MailWords } from "./MailWords";
import type { Invoice } from "./queries";
import { useText, type InvoiceText } from "./texts";

/** Issuing, paying and crediting change what other screens show too. */
export const REFRESHES = [["invoices"], ["clients"], ["einvoice"], ["overview"], ["reports"], ["catalog"]];

const path = (id: string) => ({ path: { id } });

export function useDuplicate() {
  const navigate = useNavigate();
  const say = useText();
  return useAction({
    run: (id: string, key) =>
      take(api.POST("/api/invoices/{id}/duplicate", { params: path(id), headers: keyed(key) })),
    refreshes: [["invoices"]],
    onDone: (copy) => {
      toast(say("duplicated"));
      void navigate(`/invoices/${copy.id}/edit`);
    },
  });
}

export function useRestore() {
  return useAction({
    run: (id: string, key) =>
      take(api.POST("/api/invoices/{id}/restore", { params: path(id), headers: keyed(key) })),
    refreshes: REFRESHES,
  });
}

/** Delete a draft; the notice takes it back. */
export function useDelete(onDone?: () => void) {
  const say = useText();
  const restore = useRestore();
  return useAction({
    run: (id: string) => take(api.DELETE("/api/invoices/{id}", { params: path(id) })),
    refreshes: REFRESHES,
    onDone: (_, id) => {
      toast(say("deleted"), () => restore.mutate(id));
      onDone?.();
    },
  });
}

/** Give the document its number and seal its record: by e-invoicing, or by the mail where e-invoicing is off. */
export type IssueBy = "emit" | "send";

/** The number of a document that is issued, and what whoever issues it should know. */
export type Issued = Pick<Schemas["EInvoiceResult"], "number" | "warnings">;

const numbered = (sent: Schemas["Sent"]): Issued => ({
  number: sent.invoice.number ?? "",
  warnings: sent.invoice.warnings,
});

/** Issue, and say under which number it was done, which need not be the one of the rehearsal. */
async function issue(
  id: string,
  by: IssueBy,
  words: MailWords,
  headers: Record<string, string>,
): Promise<Issued> {
  if (by === "emit") {
    const body = { invoiceId: id, correct: false };
    return take(api.POST("/api/einvoice/emit", { body, headers, fetch: impatient }));
  }
  const request = { params: path(id), body: words, headers, fetch: impatient };
  return numbered(await take(api.PATCH("/api/invoices/{id}/send", request)));
}

/** Say what the answer to an emission warns of: numbers that a restore has lost, a wrong clock, doubtful taxes. */
export function useWarnings(): (result: Pick<Schemas["EInvoiceResult"], "warnings">) => void {
  const say = useText();
  return ({ warnings }) => {
    for (const warning of warnings) toast(say("warned", { warning }));
  };
}

/**
 * The number that the document would get now, and what is warned of; null where the authority is asked first, which a
 * rehearsal does not do. Refused as issuing would be.
 */
export async function rehearse(id: string, by: IssueBy): Promise<Issued | null> {
  const headers = { "Dry-Run": "true" };
  if (by === "send") {
    const request = { params: path(id), headers, fetch: impatient };
    return numbered(await takeDryRun(api.PATCH("/api/invoices/{id}/send", request)));
  }
  const request = { body: { invoiceId: id, correct: false }, headers, fetch: impatient };
  return (await takeDryRun(api.POST("/api/einvoice/emit", request))) ?? null;
}

/**
 * `onRefused`: it was not done as it was asked for; the document may have its number all the same. The screens are asked
 * again after it, since one of drafts then leaves the document out, and its dialog with it.
 */
export function useIssue(
  by: IssueBy,
  onDone: (issued: Issued) => void,
  onRefused: (error: ProblemError) => Promise<void>,
) {
  const queries = useQueryClient();
  const action = useAction({
    run: ({ id, ...words }: { id: string } & MailWords, key) => issue(id, by, words, keyed(key)),
    refreshes: REFRESHES,
    onDone,
  });
  // What the authority or the mail server refuses is issued all the same: the screens show how it stands.
  const onError = (error: ProblemError) => {
    void onRefused(error).then(() => queries.invalidateQueries({ queryKey: ["invoices"] }));
  };
  return {
    ...action,
    issue: (id: string, words: MailWords) => action.mutate({ id, ...words }, { onError }),
  };
}

export function useCorrectRecord() {
  const warn = useWarnings();
  return useAction({
    onDone: warn,
    run: ({ id, correct }: { id: string; correct: boolean }, key) =>
      take(api.POST("/api/einvoice/emit", { body: { invoiceId: id, correct }, headers: keyed(key) })),
    refreshes: REFRESHES,
  });
}

/** Ways out where somebody else's document has the invoice's number at the authority: its next number, or theirs. */
export function useWayOut(onDone: (result: Schemas["EInvoiceResult"]) => void) {
  const warn = useWarnings();
  return useAction({
    run: (body: Schemas["EmitInput"], key) =>
      take(api.POST("/api/einvoice/emit", { body, headers: keyed(key) })),
    refreshes: REFRESHES,
    onDone: (result) => {
      onDone(result);
      warn(result);
    },
  });
}

/** What became of a mail, as the server answers: a mail server took it, it waits, or it lies in a file. */
function whereItWent(
  say: Say<InvoiceText>,
  { deliveredTo }: Pick<Schemas["Sent"], "deliveredTo">,
  address: string | null,
): string {
  if (deliveredTo === "queue") return say("mailQueued");
  return say(deliveredTo === "smtp" ? "sentTo" : "keptInFile", { address: address ?? "" });
}

export function useSend(onDone?: () => void) {
  const say = useText();
  return useAction({
    run: ({ id, ...words }: { id: string } & MailWords, key) =>
      take(api.PATCH("/api/invoices/{id}/send", { params: path(id), body: words, headers: keyed(key) })),
    refreshes: REFRESHES,
    onDone: (sent) => {
      toast(whereItWent(say, sent, sent.invoice.client.email));
      onDone?.();
    },
  });
}

/** Mail an emitted invoice to another address than the client's. */
export function useSendTo(onDone?: () => void) {
  const say = useText();
  return useAction({
    run: ({ id, ...body }: { id: string; email: string } & MailWords, key) =>
      take(
        api.POST("/api/einvoice/send-email/{id}", {
          params: path(id),
          body,
          headers: keyed(key),
        }),
      ),
    refreshes: REFRESHES,
    onDone: (sent, { email }) => {
      toast(whereItWent(say, sent, email));
      onDone?.();
    },
  });
}

export interface PaymentInput {
  id: string;
  /** Decimal text; without it all that is owed. */
  amount?: string;
  paidAt?: string;
  method?: string;
}

export function usePay(onDone?: () => void) {
  const say = useText();
  return useAction({
    run: ({ id, amount, paidAt, method }: PaymentInput, key) =>
      take(
        api.PATCH("/api/invoices/{id}/pay", {
          params: path(id),
          body: {
            ...(amount ? { amount: Number(amount) } : {}),
            ...(paidAt ? { paidAt } : {}),
            ...(method ? { method } : {}),
          },
          headers: keyed(key),
        }),
      ),
    refreshes: REFRESHES,
    onDone: (invoice) => {
      toast(say(invoice.status === "paid" ? "paidDone" : "paymentDone", { number: invoice.number ?? "" }));
      onDone?.();
    },
  });
}

export function useShare(onDone?: (url: string) => void) {
  return useAction({
    run: (id: string, key) =>
      take(api.POST("/api/invoices/{id}/share", { params: path(id), headers: keyed(key) })),
    refreshes: [["invoices"]],
    onDone: (shared) => onDone?.(shared.shareUrl),
  });
}

export function useUnshare() {
  const say = useText();
  return useAction({
    run: (id: string) => take(api.DELETE("/api/invoices/{id}/share", { params: path(id) })),
    refreshes: [["invoices"]],
    onDone: () => toast(say("unshared")),
  });
}

export type CreditNoteInput = Schemas["CreditNoteInput"];

export function useCreditNote(onDone: (noteId: string) => void) {
  const warn = useWarnings();
  return useAction({
    run: (body: CreditNoteInput, key) =>
      take(api.POST("/api/einvoice/credit-note", { body, headers: keyed(key) })),
    refreshes: REFRESHES,
    onDone: (result) => {
      onDone(result.invoiceId);
      warn(result);
    },
  });
}

export function useAnnul(onDone: () => void) {
  return useAction({
    run: (body: { fiscalId: string; reason: string }, key) =>
      take(api.POST("/api/einvoice/annul", { body, headers: keyed(key) })),
    refreshes: REFRESHES,
    onDone,
  });
}

export async function copyLink(url: string): Promise<void> {
  await navigator.clipboard.writeText(url);
}

export const isDraft = (invoice: Invoice) => invoice.status === "draft";
