"""Acts on a supplier's invoice, with the summaries that a person agrees to."""

from ledgerkit.core.platform.documents.document_facts import document_facts
from ledgerkit.core.platform.imports.acts import of_documents
from ledgerkit.core.platform.request.acts import Act, Rehearsed, Risk, Stored, Summary, as_day, as_money, doubts, short
from ledgerkit.core.platform.request.texts import AskMsg, FieldMsg
from ledgerkit.texts import text

_BY_ID = Stored("supplier_invoices.get", "invoice_id")


async def _cancellation(rehearsed: Rehearsed) -> Summary:
    bill = rehearsed.before
    number = bill.get("invoiceNumber") or rehearsed.label(bill)
    return Summary(text(AskMsg.CANCEL_BILL, number=short(number)), [*document_facts(bill), *doubts(rehearsed.answer)])


async def _recording(rehearsed: Rehearsed) -> Summary:
    bill = rehearsed.answer
    return Summary(
        text(AskMsg.RECORD_BILL, number=short(bill.get("invoiceNumber"))),
        [*document_facts(bill), *doubts(bill)],
        AskMsg.AFTER_IMPORTING_BILLS,
    )


async def _payment(rehearsed: Rehearsed) -> Summary:
    bill, payment = rehearsed.before, rehearsed.answer
    facts = [
        *document_facts(bill),
        (AskMsg.PAID_OUT, as_money(payment, "amount", bill.get("currency"))),
        (FieldMsg.PAID_AT, as_day(payment.get("paymentDate"))),
    ]
    return Summary(text(AskMsg.PAY_BILL, number=short(bill.get("invoiceNumber"))), facts, AskMsg.AFTER_PAYING_BILL)


CANCELLATION = Act(summary=_cancellation, before=_BY_ID)
RECORDING = Act(summary=_recording, risk=None, asked_if=None)
PAYMENT = Act(summary=_payment, risk=Risk.MONEY, asked_if=None, before=_BY_ID)
IMPORT = of_documents(AskMsg.IMPORT_BILLS, AskMsg.AFTER_IMPORTING_BILLS)
