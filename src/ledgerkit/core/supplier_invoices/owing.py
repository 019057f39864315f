"""What each vendor has invoiced and been paid: kept with every document that changes it."""

from decimal import Decimal
from typing import Any

from sqlalchemy import Integer, Numeric, Text, Uuid, bindparam, func, update
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.request.context import Context
from ledgerkit.core.supplier_invoices.models import vendor_payable

_KEY = ("vendor_id", "currency")
_NAMED = (*_KEY, "vendor_name", "vendor_tax_id")
_new = insert(vendor_payable)


async def add(ctx: Context, invoice: Any) -> None:
    """Count a new invoice in. Call it last: every other document of the vendor waits for this one row."""
    named = {name: getattr(invoice, name) for name in _NAMED}
    await _ADD.run(ctx.db, **named, invoice_count=1, invoiced=invoice.total, paid=Decimal(0))


async def change(ctx: Context, invoice: Any, *, count: int, invoiced: Decimal, paid: Decimal) -> None:
    """Change the figures by these differences. Call it last, too."""
    key = {name: getattr(invoice, name) for name in _KEY}
    await _CHANGE.run(ctx.db, **key, more=count, more_invoiced=invoiced, more_paid=paid)


_ADD = Prepared(
    _new.on_conflict_do_update(
        index_elements=["account_id", *_KEY],
        set_={
            "vendor_name": _new.excluded.vendor_name,
            "vendor_tax_id": _new.excluded.vendor_tax_id,
            "invoice_count": vendor_payable.c.invoice_count + _new.excluded.invoice_count,
            "invoiced": vendor_payable.c.invoiced + _new.excluded.invoiced,
            "updated_at": func.now(),
            "version": vendor_payable.c.version + 1,
        },
    ),
    columns=(*_NAMED, "invoice_count", "invoiced", "paid"),
)
_CHANGE = Prepared(
    update(vendor_payable)
    .where(
        vendor_payable.c.vendor_id == bindparam("vendor_id", type_=Uuid),
        vendor_payable.c.currency == bindparam("currency", type_=Text),
    )
    .values(
        invoice_count=vendor_payable.c.invoice_count + bindparam("more", type_=Integer),
        invoiced=vendor_payable.c.invoiced + bindparam("more_invoiced", type_=Numeric),
        paid=vendor_payable.c.paid + bindparam("more_paid", type_=Numeric),
        updated_at=func.now(),
        version=vendor_payable.c.version + 1,
    ),
    columns=(),
)
