"""Act of recording a bill that was read, with the summary that a person agrees to."""

from ledgerkit.core.platform.request.acts import Act, Fact, Money, Rehearsed, Several, Summary, as_day, doubts, short
from ledgerkit.core.platform.request.texts import AskMsg, FieldMsg
from ledgerkit.texts import text


async def _import(rehearsed: Rehearsed) -> Summary:
    bill, answer = rehearsed.data.analysis, rehearsed.answer
    recorded_id = answer.get("supplierInvoiceId")
    recorded = await rehearsed.read("supplier_invoices.get", str(recorded_id)) if recorded_id else {}
    currency = recorded.get("currency") or bill.currency or rehearsed.currency
    total = recorded.get("total") or bill.total
    vendor = bill.vendor
    facts: list[Fact] = [
        (AskMsg.VENDOR, recorded.get("vendorName") or (vendor.name if vendor else None)),
        (AskMsg.TAX_ID, vendor.tax_id if vendor else None),
        (AskMsg.TOTAL, None if total is None else Money(total, currency)),
        (AskMsg.DAY, as_day(recorded.get("invoiceDate")) or bill.invoice_date),
        (AskMsg.CREATED_ITEMS, answer.get("created") or None),
        (AskMsg.UPDATED_ITEMS, answer.get("updated") or None),
        (AskMsg.CONCEPT, Several([short(item.name) for item in bill.items]) if bill.items else None),
        (FieldMsg.IBAN, bill.iban),
        *doubts(answer),
    ]
    return Summary(text(AskMsg.IMPORT_PURCHASE, number=short(bill.invoice_number)), facts, AskMsg.AFTER_IMPORTING_BILLS)


IMPORT = Act(summary=_import, risk=None, asked_if=None)
