"""Received documents that credit notes of vendors correct."""

from uuid import UUID

from ledgerkit.core import records
from ledgerkit.core.expenses.messages import ExpensesMsg
from ledgerkit.core.expenses.models import ExpenseRow, expense
from ledgerkit.core.expenses.schemas import ExpenseFields
from ledgerkit.core.request.context import Context
from ledgerkit.core.supplier_invoices.models import supplier_invoice
from ledgerkit.problems import Invalid, NotFound


async def rectified(ctx: Context, data: ExpenseFields, doc_type: str, old: ExpenseRow | None = None) -> UUID | None:
    """Return the id of the expense or supplier invoice that a credit note corrects, None where it names none.

    Raises Invalid for another kind of document than a credit note, and for one that corrects a credit note or a
    cancelled invoice; NotFound for an unknown id.
    """
    if "rectifies" not in data.model_fields_set:
        kept = None if old is None else old.rectifies
        if kept is not None and doc_type != "credit_note":
            raise Invalid.field("docType", ExpensesMsg.RECTIFIES_STAYS)
        return kept
    if data.rectifies is None:
        return None
    if doc_type != "credit_note":
        raise Invalid.field("rectifies", ExpensesMsg.RECTIFIES_CREDIT_NOTES_ONLY)
    return await _corrected(ctx, data.rectifies)


async def _corrected(ctx: Context, document_id: str) -> UUID:
    try:
        corrected = await records.fetch(ctx, expense, document_id, "expense")
    except NotFound:
        invoice = await records.fetch(ctx, supplier_invoice, document_id, "supplier invoice")
        if invoice.cancelled_at is not None:
            raise Invalid.field("rectifies", ExpensesMsg.RECTIFIES_CANCELLED) from None
        return invoice.id
    if corrected.doc_type == "credit_note":
        raise Invalid.field("rectifies", ExpensesMsg.RECTIFIES_CREDIT_NOTE)
    return corrected.id
