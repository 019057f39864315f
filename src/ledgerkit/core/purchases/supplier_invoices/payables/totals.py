"""Totals invoiced by and paid to each vendor, updated with every document that changes them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from uuid import UUID

from sqlalchemy import Integer, Numeric, Text, Uuid, bindparam, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.supplier_invoices.amounts import conversion
from ledgerkit.core.purchases.supplier_invoices.table import (
    SupplierInvoiceRow,
    VendorPayableRow,
    supplier_invoice,
    vendor_payable,
)
from ledgerkit.core.purchases.supplier_invoices.texts import SupplierInvoicesMsg
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Conflict

_KEY_COLUMNS = ("vendor_id", "currency")
_VENDOR_COLUMNS = (*_KEY_COLUMNS, "vendor_name", "vendor_tax_id")
_insert = insert(vendor_payable)


async def add(ctx: Context, invoice: SupplierInvoiceRow) -> None:
    """Add a new invoice to its vendor's totals. Call it last: every other document of the vendor waits for this row."""
    vendor_columns = {name: getattr(invoice, name) for name in _VENDOR_COLUMNS} | {"currency": _currency(ctx, invoice)}
    invoiced = conversion.converted_total(invoice)
    await _ADD.run(ctx.db, **vendor_columns, invoice_count=1, invoiced=invoiced, paid=Decimal(0))


async def change(ctx: Context, invoice: SupplierInvoiceRow, *, count: int, invoiced: Decimal, paid: Decimal) -> None:
    """Add these differences to the vendor's totals, in the account's currency for an invoice that is converted.

    Call it last: other documents of the vendor wait for this row.
    """
    key = {"vendor_id": invoice.vendor_id, "currency": _currency(ctx, invoice)}
    await _CHANGE.run(ctx.db, **key, more=count, more_invoiced=invoiced, more_paid=paid)


def _currency(ctx: Context, invoice: SupplierInvoiceRow) -> str:
    return invoice.currency if invoice.converted is None else ctx.account.currency


@dataclass(frozen=True)
class PayableSums:
    """Number and amounts of several new documents of a vendor, in one currency."""

    vendor_name: str
    vendor_tax_id: str | None
    count: int
    invoiced: Decimal
    paid: Decimal

    def plus(self, invoiced: Decimal, paid: Decimal) -> "PayableSums":
        """Return the sums with one more document."""
        return replace(self, count=self.count + 1, invoiced=self.invoiced + invoiced, paid=self.paid + paid)


async def add_sums(ctx: Context, sums: Mapping[tuple[UUID, str], PayableSums]) -> None:
    """Add many new documents to the totals of their vendors, by vendor and currency. Call it last."""
    for (vendor_id, currency), of_vendor in sorted(sums.items(), key=lambda item: item[0]):
        key = {"vendor_id": vendor_id, "currency": currency}
        names = {"vendor_name": of_vendor.vendor_name, "vendor_tax_id": of_vendor.vendor_tax_id}
        amounts = {"invoice_count": of_vendor.count, "invoiced": of_vendor.invoiced, "paid": ZERO}
        await _ADD.run(ctx.db, **key, **names, **amounts)
        if of_vendor.paid:
            await _CHANGE.run(ctx.db, **key, more=0, more_invoiced=ZERO, more_paid=of_vendor.paid)


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
    for row in await _TAKE.rows(ctx.db, vendor_id=old):
        key = {"vendor_id": new, "currency": row.currency}
        names = {"vendor_name": row.vendor_name, "vendor_tax_id": row.vendor_tax_id}
        await _KEEP_NAMES.run(ctx.db, **key, **names, invoice_count=0, invoiced=ZERO, paid=ZERO)
        await _CHANGE.run(ctx.db, **key, more=row.invoice_count, more_invoiced=row.invoiced, more_paid=row.paid)
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
_TAKE = Prepared(
    delete(vendor_payable)
    .where(vendor_payable.c.vendor_id == bindparam("vendor_id", type_=Uuid))
    .returning(*vendor_payable.c),
    VendorPayableRow,
)
_KEEP_NAMES = Prepared(
    _insert.on_conflict_do_nothing(index_elements=["account_id", *_KEY_COLUMNS]),
    columns=(*_VENDOR_COLUMNS, "invoice_count", "invoiced", "paid"),
)
_ADD = Prepared(
    _insert.on_conflict_do_update(
        index_elements=["account_id", *_KEY_COLUMNS],
        set_={
            "vendor_name": _insert.excluded.vendor_name,
            "vendor_tax_id": _insert.excluded.vendor_tax_id,
            "invoice_count": vendor_payable.c.invoice_count + _insert.excluded.invoice_count,
            "invoiced": vendor_payable.c.invoiced + _insert.excluded.invoiced,
            "updated_at": func.now(),
            "version": vendor_payable.c.version + 1,
        },
    ),
    columns=(*_VENDOR_COLUMNS, "invoice_count", "invoiced", "paid"),
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
