"""Supplier invoices for other domains that name them."""

from ledgerkit.core import records
from ledgerkit.core.request.context import Context
from ledgerkit.core.supplier_invoices.models import SupplierInvoiceRow, supplier_invoice


async def fetch(ctx: Context, invoice_id: str) -> SupplierInvoiceRow:
    """Return a supplier invoice, cancelled ones too. Raises NotFound."""
    return await records.fetch(ctx, supplier_invoice, invoice_id, "supplier invoice")
