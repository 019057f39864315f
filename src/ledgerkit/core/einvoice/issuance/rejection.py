"""The problem that answers a caller whose record the authority has rejected."""

from ledgerkit.core.einvoice.api import AuthorityError, EInvoiceResult
from ledgerkit.core.einvoice.issuance.texts import IssuanceMsg
from ledgerkit.problems import Code, Rejected
from ledgerkit.providers.api import NUMBER_TAKEN
from ledgerkit.texts import FixedText, Joined, MessageId, ProblemText, Text, text
from ledgerkit.texts.messages import REMEDY, Message


def rejection(answer: EInvoiceResult) -> Rejected:
    """Return the problem with the authority's first error and the whole result: AUTHORITY_REJECTED or NUMBER_TAKEN."""
    errors = answer.refused.errors if answer.refused else answer.errors
    first = errors[0] if errors else None
    values = {"subject": _subject(answer), "cause": f" ({first.code}: {first.message})" if first else ""}
    remedy = Message(IssuanceMsg.REJECTED, {"way_out": _way_out(answer, first)}, REMEDY)
    words = ProblemText(Message(IssuanceMsg.REJECTED, values), remedy)
    extra = {"result": answer.model_dump(mode="json", by_alias=True)}
    if first and first.code == NUMBER_TAKEN:
        return Rejected(words, code=Code.NUMBER_TAKEN, extra=extra)
    return Rejected(words, extra=extra)


def _subject(answer: EInvoiceResult) -> str | Text:
    """The document, or its correction or annulment, which the authority has rejected."""
    if answer.refused:
        return text(IssuanceMsg.REJECTED_CORRECTION, number=answer.number)
    return text(IssuanceMsg.REJECTED_ANNULMENT, number=answer.number) if answer.kind == "annul" else answer.number


def _way_out(answer: EInvoiceResult, error: AuthorityError | None) -> Text | MessageId:
    """Remedy of the error, or that of every rejection; after the invoice's state where it stands as before."""
    annuls = not answer.refused and answer.kind == "annul"
    remedy: Text | MessageId = IssuanceMsg.CORRECT_AND_ANNUL if annuls else IssuanceMsg.CORRECT_AND_EMIT
    if error and error.remedy:
        remedy = FixedText(error.remedy.en, error.remedy.model_dump())
    return Joined((IssuanceMsg.STANDS_AS_BEFORE, remedy), " ") if answer.refused or annuls else remedy
