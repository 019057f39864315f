import { useMay, useSession } from "../app/session";
import { isDraft, type IssueBy } from "./actions";
import { isTaken, recordOf, type Invoice } from "./queries";

/** What the user may do with an invoice, by the rights of the role and the state of the invoice. */
export interface InvoiceRights {
  edit: boolean;
  issue: boolean;
  /** Whether issuing is emitting, or mailing where e-invoicing is off. */
  issueBy: IssueBy;
  send: boolean;
  pay: boolean;
  duplicate: boolean;
  share: boolean;
  remove: boolean;
  credit: boolean;
  annul: boolean;
  /** Put right what the authority refused, and emit it again with the same number. */
  mend: boolean;
}

interface Role {
  draft: boolean;
  draftAny: boolean;
  issue: boolean;
  emit: boolean;
  remove: boolean;
}

interface Standing {
  isDraft: boolean;
  /** Issued, and not annulled. */
  stands: boolean;
  isOwn: boolean;
  /** Issued with ledgerkit, not imported. */
  isOurs: boolean;
  /** The authority holds a record of it, or gets one. */
  isReported: boolean;
  isRefused: boolean;
  /** Somebody else's document has its number at the authority. */
  isTaken: boolean;
}

function standingOf(invoice: Invoice, userId: string | undefined): Standing {
  const record = recordOf(invoice);
  const isAnnulled = record?.kind === "annul" || record?.status === "annulled";
  return {
    isDraft: isDraft(invoice),
    stands: !isDraft(invoice) && !isAnnulled,
    isOwn: invoice.createdBy !== null && invoice.createdBy === userId,
    isOurs: invoice.origin !== "external",
    isReported: record !== null,
    isRefused: record?.status === "rejected",
    isTaken: isTaken(record),
  };
}

function rightsOnDraft(role: Role, { isOwn }: Standing, isOn: boolean) {
  return {
    edit: role.draftAny || (role.draft && isOwn),
    issue: role.issue && (role.emit || !isOn),
    remove: role.remove,
  };
}

function rightsOnIssued(role: Role, invoice: Invoice, standing: Standing) {
  const { stands, isOurs, isReported, isRefused } = standing;
  const mayCorrect = stands && role.emit && isReported && !standing.isTaken;
  return {
    send: stands && isOurs && role.issue && !standing.isTaken,
    pay: stands && role.issue && invoice.balance !== 0,
    credit: mayCorrect && isOurs && invoice.docType !== "credit_note",
    annul: mayCorrect && !isRefused,
    mend: mayCorrect && isOurs && isRefused,
  };
}

const NO_RIGHTS_ON_DRAFT = { edit: false, issue: false, remove: false };

export function useInvoiceRights(): (invoice: Invoice) => InvoiceRights {
  const { session } = useSession();
  const role: Role = {
    draft: useMay("invoices:draft"),
    draftAny: useMay("invoices:draft-any"),
    issue: useMay("invoices:issue"),
    emit: useMay("einvoice:emit"),
    remove: useMay("invoices:delete"),
  };
  const isOn = session.team?.einvoicing === "on";
  return (invoice) => {
    const standing = standingOf(invoice, session.user?.id);
    return {
      ...(standing.isDraft ? rightsOnDraft(role, standing, isOn) : NO_RIGHTS_ON_DRAFT),
      ...rightsOnIssued(role, invoice, standing),
      issueBy: isOn ? "emit" : "send",
      duplicate: role.draft && standing.isOurs,
      share: role.issue && standing.isOurs && (standing.isDraft || standing.stands),
    };
  };
}
