"""Supplier invoices for other domains that name them."""

from uuid import UUID

from ledgerkit.core import records
from ledgerkit.core.request.context import Context
from ledgerkit.core.supplier_invoices import service
from ledgerkit.core.supplier_invoices.models import SupplierInvoiceRow, supplier_invoice


async def fetch(ctx: Context, invoice_id: str) -> SupplierInvoiceRow:
    """Return a supplier invoice, cancelled ones too. Raises NotFound."""
    return await records.fetch(ctx, supplier_invoice, invoice_id, "supplier invoice")


async def recorded(ctx: Context, vendor_id: UUID, number: str | None) -> UUID | None:
    """Return the invoice of this vendor that is recorded under `number` and not cancelled."""
    if not number:
        return None
    row = await service.SAME_NUMBER.row(ctx.db, vendor_id=vendor_id, number_key=service.number_key(number))
    return None if row is None else row.id
