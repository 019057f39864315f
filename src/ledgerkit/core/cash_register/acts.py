"""Acts at the till, with the summaries that a person agrees to."""

from ledgerkit.core.einvoice.acts import is_unrecorded
from ledgerkit.core.platform.documents.document_facts import document_facts
from ledgerkit.core.platform.request.acts import Act, Fact, Rehearsed, Risk, Summary, as_day, as_money, if_it_seals
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.core.sales.invoices.acts import doubts, written
from ledgerkit.texts import text

_COUNTS = (
    (AskMsg.COUNTED, "closingAmount"),
    (AskMsg.EXPECTED, "expectedAmount"),
    (AskMsg.DIFFERENCE, "difference"),
)


async def _movement(rehearsed: Rehearsed) -> Summary:
    invoice = await written(rehearsed) if rehearsed.seals else {}
    corrected_id = invoice.get("rectifies")
    corrected = await rehearsed.read("invoices.get", str(corrected_id)) if corrected_id else {}
    is_refund, unrecorded = rehearsed.data.type == "refund", is_unrecorded(rehearsed, invoice)
    effect = AskMsg.REFUND if is_refund else AskMsg.SALE
    if unrecorded:
        effect = AskMsg.REFUND_UNRECORDED if is_refund else AskMsg.SALE_UNRECORDED
    facts: list[Fact] = [
        *document_facts(invoice),
        (AskMsg.METHOD, rehearsed.data.payment_method),
        (AskMsg.CORRECTED_NUMBER, corrected.get("number")),
        (AskMsg.CORRECTED_TOTAL, as_money(corrected, "total")),
        *doubts(rehearsed.before, invoice),
    ]
    afterwards = AskMsg.AFTER_UNRECORDED if unrecorded else AskMsg.FINAL_SEALED
    return Summary(text(effect, number=rehearsed.label(invoice)), facts, afterwards)


async def _closing(rehearsed: Rehearsed) -> Summary:
    answer = rehearsed.answer
    facts: list[Fact] = [(label, as_money(answer, key)) for label, key in _COUNTS if key in answer]
    facts.append((AskMsg.OPENED, as_day(answer.get("openedAt"))))
    return Summary(text(AskMsg.CLOSE_REGISTER), facts)


MOVEMENT = Act(summary=_movement, risk=Risk.MONEY, asked_if=if_it_seals)
CLOSING = Act(summary=_closing)
