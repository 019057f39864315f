"""Acts on an attached file, with the summaries that a person agrees to."""

from ledgerkit.core.platform.attachments.api import DocumentType
from ledgerkit.core.platform.request.acts import Act, Fact, Json, Rehearsed, Stored, Summary, short
from ledgerkit.core.platform.request.field_facts import name_of, word_for
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import Text, text

_BY_ID = Stored("attachments.get", "attachment_id")
_READERS = {
    DocumentType.EXPENSE: "expenses.get",
    DocumentType.SUPPLIER_INVOICE: "supplier_invoices.get",
    DocumentType.INVOICE: "invoices.get",
    DocumentType.TASK: "tasks.get",
}


async def _document(rehearsed: Rehearsed, attachment: Json) -> Fact:
    kind, record_id = attachment.get("documentType"), attachment.get("documentId")
    if not kind or not record_id:
        return (AskMsg.DOCUMENT, None)
    reader = _READERS.get(DocumentType(kind))
    name = name_of(await rehearsed.read(reader, str(record_id))) if reader else ""
    word = word_for(kind)
    label: Text = text(AskMsg.NAMED_DOCUMENT, kind=word, name=name)
    return (AskMsg.DOCUMENT, label)


async def _attachment(rehearsed: Rehearsed) -> Summary:
    attachment = rehearsed.answer
    facts = [await _document(rehearsed, attachment)]
    return Summary(text(AskMsg.ATTACH, name=short(attachment.get("name"))), facts, AskMsg.AFTER_CREATION)


async def _deletion(rehearsed: Rehearsed) -> Summary:
    attachment = rehearsed.before
    facts = [await _document(rehearsed, attachment)]
    return Summary(text(AskMsg.DETACH, name=short(attachment.get("name"))), facts)


ATTACHING = Act(summary=_attachment, risk=None, asked_if=None)
DELETION = Act(summary=_deletion, asked_if=None, before=_BY_ID)
