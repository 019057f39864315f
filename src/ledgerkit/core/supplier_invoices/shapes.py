"""A supplier invoice's row in the shape callers see: one at a time here, lists by the database."""

from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Date, Label, and_, bindparam, case, literal_column, or_

from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.database.statements import constant
from ledgerkit.core.request.context import Context
from ledgerkit.core.supplier_invoices.models import supplier_invoice, supplier_payment
from ledgerkit.core.supplier_invoices.schemas import Status, SupplierInvoice, SupplierPayment

_UNSHOWN = {"account_id", "version", "number_key", "search_text"}
_TIMES = {"created_at", "updated_at", "cancelled_at"}
_PLAIN = [column for column in supplier_invoice.c if column.name not in _UNSHOWN | _TIMES]
_PAYMENT = [column for column in supplier_payment.c if column.name not in {"account_id", "created_at"}]

TODAY = bindparam("today", type_=Date)

_NOTHING: ColumnElement[Any] = literal_column("0")
"""Written out, since a partial index's predicate is not seen through a parameter."""

_balance, _cancelled_at = supplier_invoice.c.balance, supplier_invoice.c.cancelled_at
_not_yet_due = supplier_invoice.c.due_date >= TODAY
_begun = supplier_invoice.c.paid_amount > _NOTHING

unpaid = and_(_balance > _NOTHING, _cancelled_at.is_(None))
"""Something is owed still: what the partial indexes of open invoices hold."""

overdue = and_(unpaid, supplier_invoice.c.due_date < TODAY)
not_overdue = or_(_balance <= _NOTHING, _cancelled_at.is_not(None), _not_yet_due)

HAVING: dict[Status, ColumnElement[bool]] = {
    "cancelled": _cancelled_at.is_not(None),
    "paid": and_(_balance <= _NOTHING, _cancelled_at.is_(None)),
    "overdue": overdue,
    "partial": and_(unpaid, _not_yet_due, _begun),
    "pending": and_(unpaid, _not_yet_due, ~_begun),
}
"""Each status as a filter. Together they are all invoices, and each invoice has one."""

status = case(
    (_cancelled_at.is_not(None), constant("cancelled")),
    (_balance <= _NOTHING, constant("paid")),
    (supplier_invoice.c.due_date < TODAY, constant("overdue")),
    (_begun, constant("partial")),
    else_=constant("pending"),
)
"""Derived on every read, in this order (decisions K3): a part payment does not clear what is overdue."""


def status_of(row: Any, today: date) -> Status:
    """`status` of a row at hand."""
    if row.cancelled_at is not None:
        return "cancelled"
    if row.balance <= 0:
        return "paid"
    if row.due_date < today:
        return "overdue"
    return "partial" if row.paid_amount > 0 else "pending"


def wire_columns() -> list[Label[Any]]:
    """What a list shows of each invoice: the same fields as `as_invoice`. Needs the parameter `today`."""
    return [
        *(wire_column(column.name, column) for column in _PLAIN),
        *(wire_column(name, wire_time(supplier_invoice.c[name])) for name in sorted(_TIMES)),
        wire_column("status", status),
    ]


def payment_columns() -> list[Label[Any]]:
    return [
        *(wire_column(column.name, column) for column in _PAYMENT),
        wire_column("created_at", wire_time(supplier_payment.c.created_at)),
    ]


def fields_of(ctx: Context, row: Any) -> dict[str, Any]:
    """The fields of a `SupplierInvoice`."""
    plain = {column.name: _text_id(getattr(row, column.name)) for column in _PLAIN}
    times = {name: getattr(row, name) for name in _TIMES}
    return plain | times | {"status": status_of(row, ctx.account.today()), "version": row.version}


def as_invoice(ctx: Context, row: Any) -> SupplierInvoice:
    return SupplierInvoice.model_validate(fields_of(ctx, row))


def as_payment(row: Any) -> SupplierPayment:
    plain = {column.name: _text_id(getattr(row, column.name)) for column in _PAYMENT}
    return SupplierPayment.model_validate(plain | {"created_at": row.created_at})


def label(row: Any) -> str:
    """How people know an invoice: its number and vendor."""
    return " ".join(part for part in (row.invoice_number, row.vendor_name) if part)


def _text_id(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value
