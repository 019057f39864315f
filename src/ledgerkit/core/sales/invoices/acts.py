"""Acts on an invoice, with the summaries that a person agrees to."""

from ledgerkit.core.platform.documents.document_facts import document_facts
from ledgerkit.core.platform.request.acts import SEALING_ACTIONS, Act, Fact, Json, Rehearsed, Risk, Stored, Summary
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import text

BY_ID = Stored("invoices.get", "invoice_id")


async def written(rehearsed: Rehearsed) -> Json:
    """Return the act's invoice as it would be afterwards: the one in the answer, else the last one sealed or written.

    The answer names it by `invoiceId`, or is the invoice.
    """
    answer = rehearsed.answer
    if "docType" in answer:
        return answer
    invoice_id = answer.get("invoiceId")
    entries = [entry for entry in rehearsed.entries if entry.entity_type == "invoice"]
    sealed = [entry for entry in entries if entry.action in SEALING_ACTIONS]
    invoice_id = invoice_id or next((entry.entity_id for entry in reversed(sealed or entries)), None)
    return {} if invoice_id is None else await rehearsed.read("invoices.get", str(invoice_id))


def doubts(*records: Json) -> list[Fact]:
    """Return the warnings of records, each once."""
    warnings = [warning for record in records for warning in record.get("warnings") or ()]
    return [(AskMsg.DOUBT, warning) for warning in dict.fromkeys(warnings)]


async def _draft(rehearsed: Rehearsed) -> Summary:
    invoice = await written(rehearsed)
    effect = text(AskMsg.CHANGE_DRAFT if rehearsed.before else AskMsg.DRAFT)
    return Summary(effect, [*document_facts(invoice), *doubts(invoice)], None)


async def _sharing(rehearsed: Rehearsed) -> Summary:
    invoice = await written(rehearsed) or rehearsed.before
    effect = text(AskMsg.SHARE, number=rehearsed.label(invoice))
    return Summary(effect, document_facts(invoice), AskMsg.AFTER_SHARE)


async def _end_of_sharing(rehearsed: Rehearsed) -> Summary:
    invoice = await written(rehearsed) or rehearsed.before
    effect = text(AskMsg.UNSHARE, number=rehearsed.label(invoice))
    return Summary(effect, document_facts(invoice), AskMsg.AFTER_UNSHARE)


async def _deletion(rehearsed: Rehearsed) -> Summary:
    invoice = rehearsed.before
    name = str(invoice.get("number") or rehearsed.label(invoice))
    effect = text(AskMsg.DELETE, kind=AskMsg.KIND_INVOICE, name=name)
    return Summary(effect, document_facts(invoice), AskMsg.AFTER_DELETING_INVOICE)


DRAFT = Act(summary=_draft, risk=None, asked_if=None)
CHANGE = Act(summary=_draft, risk=None, asked_if=None, before=BY_ID)
DELETION = Act(summary=_deletion, before=BY_ID)
SHARING = Act(summary=_sharing, risk=Risk.OUTWARD, before=BY_ID)
END_OF_SHARING = Act(summary=_end_of_sharing, before=BY_ID)
