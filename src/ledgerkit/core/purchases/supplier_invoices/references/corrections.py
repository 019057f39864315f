"""Supplier invoices that credit notes of vendors correct."""

from uuid import UUID

from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.supplier_invoices.api import SupplierInvoiceInput
from ledgerkit.core.purchases.supplier_invoices.references import documents
from ledgerkit.core.purchases.supplier_invoices.texts import SupplierInvoicesMsg
from ledgerkit.problems import Invalid


async def rectified(ctx: Context, data: SupplierInvoiceInput, vendor_id: UUID) -> UUID | None:
    """Return the id of the supplier invoice that a credit note corrects, None for an invoice.

    Raises NotFound for an unknown id, Invalid for an invoice of another vendor or in another currency, a cancelled one,
    and one that is a credit note itself.
    """
    if data.rectifies is None:
        return None
    corrected = await documents.fetch(ctx, data.rectifies)
    refusals = {
        SupplierInvoicesMsg.RECTIFIES_ANOTHER_VENDOR: corrected.vendor_id != vendor_id,
        SupplierInvoicesMsg.RECTIFIES_CANCELLED: corrected.cancelled_at is not None,
        SupplierInvoicesMsg.RECTIFIES_CREDIT_NOTE: corrected.rectifies is not None,
        SupplierInvoicesMsg.RECTIFIES_ANOTHER_CURRENCY: corrected.currency != (data.currency or ctx.account.currency),
    }
    for message, is_refused in refusals.items():
        if is_refused:
            raise Invalid.field("rectifies", message)
    return corrected.id
