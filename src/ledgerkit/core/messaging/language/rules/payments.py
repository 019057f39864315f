"""Payments of clients, and questions whether they were made."""

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from ledgerkit.core.messaging.language.amounts import Amount
from ledgerkit.core.messaging.language.calendar import Direction
from ledgerkit.core.messaging.language.mentioned import (
    are_several_invoices,
    invoice_ref,
    is_corrected,
    is_foreign_money,
    some_day,
    unclear_client,
)
from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.patterns import Span
from ledgerkit.core.messaging.language.requests import (
    Ask,
    InvoiceRef,
    MarkPaid,
    Question,
    Request,
    RequestLack,
    Topic,
)
from ledgerkit.core.messaging.language.speaker import Speaker
from ledgerkit.core.messaging.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("payments")
_PAID = _VOCABULARY.phrases("paid")
_WEAKLY_PAID = _VOCABULARY.phrases("weakly_paid")
_NOTED = _VOCABULARY.phrases("noted")
_MARKING = _VOCABULARY.phrases("marking")
_NOT_PAID = _VOCABULARY.phrases("not_paid")
_OWN_PAYMENTS = _VOCABULARY.phrases("own_payments")
_REMAINING = _VOCABULARY.phrases("remaining")
_OF_THE_WHOLE = _VOCABULARY.phrases("of_the_whole")
_PARTS = Vocabulary("common").phrases("parts")
_PAYING = _VOCABULARY.phrases("paying")
_DOUBTS = _VOCABULARY.phrases("doubts")
_METHODS = {name: _VOCABULARY.phrases(name) for name in ("bizum", "transfer", "cash", "card")}
_STRONGLY_WANTED = Vocabulary("drafts").phrases("strongly_wanted")


def payment(message: ChatMessage, speaker: Speaker) -> Request | None:
    if message.is_question and message.mentions and message.says(_PAYING):
        return _asked(message, invoice_ref(message, speaker.today))
    is_weak = message.says(_WEAKLY_PAID) and not message.says(_STRONGLY_WANTED)
    says_paid = message.says(_PAID) or message.says(_NOTED) or is_weak
    if not says_paid or message.says(_OWN_PAYMENTS) or message.says(_NOT_PAID):
        return None
    reference = invoice_ref(message, speaker.today)
    if _asks(message):
        return _asked(message, reference)
    if message.says(_STRONGLY_WANTED):
        return Ask(lack=RequestLack.AMBIGUOUS)
    return _unclear(message, reference) or _marked(message, reference or InvoiceRef(), speaker)


def _unclear(message: ChatMessage, reference: InvoiceRef | None) -> Ask | None:
    """Return the question which client or invoice is meant, or how much was paid."""
    unclear = None if reference is not None and reference.number else unclear_client(message)
    if unclear is not None:
        return unclear
    if reference is None:
        return Ask(lack=RequestLack.WHICH_INVOICE)
    is_doubtful = is_corrected(message) or is_foreign_money(message) or message.says(_DOUBTS)
    return Ask(lack=RequestLack.AMBIGUOUS) if is_doubtful or are_several_invoices(message) else None


def _asks(message: ChatMessage) -> bool:
    """Return True for a question; a wish to mark something paid is none, whatever its sign."""
    return message.is_question and message.begins(_MARKING) is None and not (message.is_wish and message.says(_MARKING))


def _asked(message: ChatMessage, reference: InvoiceRef | None) -> Request | None:
    if reference is None:
        return unclear_client(message)
    unclear = None if reference.number else unclear_client(message)
    return unclear or Question(topic=Topic.INVOICE_STATE, client=reference.client, invoice=reference)


def _marked(message: ChatMessage, reference: InvoiceRef, speaker: Speaker) -> Request:
    paid = [amount for amount in _paid(message) if str(amount.value) != reference.number]
    if message.says(_PARTS) and not paid:
        return Ask(lack=RequestLack.AMBIGUOUS)
    part, whole = _part_and_whole(message, paid)
    if any(amount.value not in {part, whole} for amount in paid):
        return Ask(lack=RequestLack.AMBIGUOUS)
    if whole is not None and reference.number is None:
        reference = replace(reference, amount=whole)
    day = some_day(message, speaker.today, Direction.BEHIND)
    return MarkPaid(invoice=reference, date=day, amount=part, method=_method(message))


def _paid(message: ChatMessage) -> list[Amount]:
    """Return the amounts of a message without those that remain to be paid."""
    remaining = list(message.spans(_REMAINING))
    return [
        amount
        for amount in message.money
        if not any(amount.start - 1 <= span.end <= amount.start or span.start == amount.end for span in remaining)
    ]


def _part_and_whole(message: ChatMessage, amounts: list[Amount]) -> tuple[Decimal | None, Decimal | None]:
    """Return the amount that was paid, and that of the invoice where it was said besides: `1000 of 2400`."""
    if not amounts:
        return None, None
    for first, following in pairwise(amounts):
        between = Span(first.end, following.start)
        if _OF_THE_WHOLE.end_at(message.line, between.start) == between.end and following.value > first.value:
            return first.value, following.value
    return amounts[0].value, None


def _method(message: ChatMessage) -> str | None:
    return next((name for name, phrases in _METHODS.items() if message.says(phrases)), None)
