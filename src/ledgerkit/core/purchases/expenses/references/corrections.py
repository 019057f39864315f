"""Received documents that credit notes of vendors correct."""

from uuid import UUID

from ledgerkit.core.platform import records
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.expenses.api import ExpenseFields
from ledgerkit.core.purchases.expenses.table import ExpenseRow, expense
from ledgerkit.core.purchases.expenses.texts import ExpensesMsg
from ledgerkit.core.purchases.supplier_invoices.references import documents
from ledgerkit.problems import Invalid, NotFound


async def rectified(ctx: Context, data: ExpenseFields, doc_type: str, old: ExpenseRow | None = None) -> UUID | None:
    """Return the id of the expense or supplier invoice that a credit note corrects, None where it names none.

    Raises Invalid for another kind of document than a credit note, and for one that corrects a credit note or a
    cancelled invoice; NotFound for an unknown id.
    """
    if "rectifies" not in data.model_fields_set:
        unchanged = None if old is None else old.rectifies
        if unchanged is not None and doc_type != "credit_note":
            raise Invalid.field("docType", ExpensesMsg.RECTIFIES_STAYS)
        return unchanged
    if data.rectifies is None:
        return None
    if doc_type != "credit_note":
        raise Invalid.field("rectifies", ExpensesMsg.RECTIFIES_CREDIT_NOTES_ONLY)
    return await _corrected(ctx, data.rectifies)


async def _corrected(ctx: Context, document_id: str) -> UUID:
    try:
        corrected = await records.fetch(ctx, expense, document_id, "expense")
    except NotFound:
        invoice = await documents.fetch(ctx, document_id)
        if invoice.cancelled_at is not None:
            raise Invalid.field("rectifies", ExpensesMsg.RECTIFIES_CANCELLED) from None
        return invoice.id
    if corrected.doc_type == "credit_note":
        raise Invalid.field("rectifies", ExpensesMsg.RECTIFIES_CREDIT_NOTE)
    return corrected.id
