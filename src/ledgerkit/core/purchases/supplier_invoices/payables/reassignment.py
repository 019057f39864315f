"""Supplier invoices of a vendor that is a duplicate of another one."""

from uuid import UUID

from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.supplier_invoices.payables import totals as payables
from ledgerkit.core.purchases.supplier_invoices.table import supplier_invoice
from ledgerkit.core.purchases.supplier_invoices.texts import SupplierInvoicesMsg
from ledgerkit.problems import Code, Conflict


async def move(ctx: Context, old: UUID, new: UUID) -> int:
    """Assign the invoices of the vendor `old`, with their payments, to the vendor `new`; return their number.

    The vendor's name and tax id that each bears stay as they were recorded. Raises Conflict DUPLICATE_SUPPLIER_INVOICE
    when both have an invoice of one number: one purchase would count twice.
    """
    shared = await _SHARED_NUMBER.row(ctx.db, old=old, new=new)
    if shared is not None:
        raise Conflict(
            SupplierInvoicesMsg.NUMBER_OF_BOTH_VENDORS,
            code=Code.DUPLICATE_SUPPLIER_INVOICE,
            number=shared.invoice_number,
        )
    moved = await records.repoint(ctx, supplier_invoice, "vendor_id", old=old, new=new)
    await payables.move(ctx, old, new)
    return moved


class _NumberRow(Row):
    invoice_number: str | None


_other = supplier_invoice.alias("other")
_SHARED_NUMBER = Prepared(
    select(supplier_invoice.c.invoice_number)
    .join(_other, _other.c.number_key == supplier_invoice.c.number_key)
    .where(
        supplier_invoice.c.vendor_id == bindparam("old", type_=Uuid),
        _other.c.vendor_id == bindparam("new", type_=Uuid),
        supplier_invoice.c.cancelled_at.is_(None),
        _other.c.cancelled_at.is_(None),
    )
    .order_by(supplier_invoice.c.invoice_number)
    .limit(1),
    _NumberRow,
)
