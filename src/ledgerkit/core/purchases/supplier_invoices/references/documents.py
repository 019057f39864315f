"""Supplier invoices for other domains that name them."""

from uuid import UUID

from sqlalchemy import Text, Uuid, bindparam, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.supplier_invoices.input import number_key
from ledgerkit.core.purchases.supplier_invoices.table import SupplierInvoiceRow, supplier_invoice


async def fetch(ctx: Context, invoice_id: str) -> SupplierInvoiceRow:
    """Return a supplier invoice, cancelled ones too. Raises NotFound."""
    return await records.fetch(ctx, supplier_invoice, invoice_id, "supplier invoice")


async def recorded(ctx: Context, vendor_id: UUID, number: str | None) -> UUID | None:
    """Return the invoice of this vendor that is recorded under `number` and not cancelled."""
    if not number:
        return None
    row = await SAME_NUMBER.row(ctx.db, vendor_id=vendor_id, number_key=number_key(number))
    return None if row is None else row.id


class _IdRow(Row):
    id: UUID


SAME_NUMBER = Prepared(
    select(supplier_invoice.c.id).where(
        supplier_invoice.c.vendor_id == bindparam("vendor_id", type_=Uuid),
        supplier_invoice.c.number_key == bindparam("number_key", type_=Text),
        supplier_invoice.c.cancelled_at.is_(None),
    ),
    _IdRow,
)
"""Invoice of a vendor that is recorded under a number, as it is compared, and not cancelled."""
