"""Acts at the till, with the summaries that a person agrees to."""

from ledgerkit.core.einvoice.acts import is_unrecorded
from ledgerkit.core.platform.documents.document_facts import document_facts
from ledgerkit.core.platform.request.acts import (
    Act,
    Fact,
    Money,
    Rehearsed,
    Risk,
    Summary,
    as_day,
    as_money,
    doubts,
    if_it_seals,
)
from ledgerkit.core.platform.request.field_facts import given, word_for
from ledgerkit.core.platform.request.texts import AskMsg, FieldMsg
from ledgerkit.core.sales.invoices.acts import written
from ledgerkit.texts import text

_COUNTS = (
    (AskMsg.COUNTED, "closingAmount"),
    (AskMsg.EXPECTED, "expectedAmount"),
    (AskMsg.DIFFERENCE, "difference"),
)


async def _movement(rehearsed: Rehearsed) -> Summary:
    if not rehearsed.seals:
        return _cash(rehearsed)
    invoice = await written(rehearsed)
    corrected_id = invoice.get("rectifies")
    corrected = await rehearsed.read("invoices.get", str(corrected_id)) if corrected_id else {}
    is_refund, unrecorded = rehearsed.data.type == "refund", is_unrecorded(rehearsed, invoice)
    effect = AskMsg.REFUND if is_refund else AskMsg.SALE
    if unrecorded:
        effect = AskMsg.REFUND_UNRECORDED if is_refund else AskMsg.SALE_UNRECORDED
    facts: list[Fact] = [
        *document_facts(invoice),
        (AskMsg.METHOD, word_for(rehearsed.data.payment_method.value)),
        (AskMsg.CORRECTED_NUMBER, corrected.get("number")),
        (AskMsg.CORRECTED_TOTAL, as_money(corrected, "total")),
        *doubts(rehearsed.before, invoice),
    ]
    afterwards = AskMsg.AFTER_UNRECORDED if unrecorded else AskMsg.FINAL_SEALED
    return Summary(text(effect, number=rehearsed.label(invoice)), facts, afterwards)


def _cash(rehearsed: Rehearsed) -> Summary:
    """Return the summary of a movement that makes no document."""
    movement = rehearsed.data
    currency = rehearsed.answer.get("currency") or rehearsed.currency
    facts: list[Fact] = [
        (FieldMsg.TYPE, word_for(movement.type.value)),
        (FieldMsg.AMOUNT, Money(movement.amount, currency)),
        (FieldMsg.DESCRIPTION, movement.description),
        (AskMsg.METHOD, word_for(movement.payment_method.value)),
    ]
    return Summary(text(AskMsg.MOVE_CASH), facts, AskMsg.AFTER_MOVING_CASH)


async def _opening(rehearsed: Rehearsed) -> Summary:
    facts = given(rehearsed.answer, rehearsed.sent | {"openingAmount"}, rehearsed.currency)
    return Summary(text(AskMsg.OPEN_REGISTER), facts, AskMsg.AFTER_OPENING)


async def _closing(rehearsed: Rehearsed) -> Summary:
    answer = rehearsed.answer
    facts: list[Fact] = [(label, as_money(answer, key)) for label, key in _COUNTS if key in answer]
    facts.append((AskMsg.OPENED, as_day(answer.get("openedAt"))))
    return Summary(text(AskMsg.CLOSE_REGISTER), facts)


MOVEMENT = Act(summary=_movement, risk=Risk.MONEY, asked_if=if_it_seals)
CLOSING = Act(summary=_closing)
OPENING = Act(summary=_opening, risk=None, asked_if=None)
