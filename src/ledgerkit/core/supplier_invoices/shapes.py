"""Supplier invoices as callers see them: single ones built from a row, lists rendered by the database."""

from collections.abc import Mapping
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Date, Label, and_, bindparam, case, literal_column, or_

from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.database.statements import constant
from ledgerkit.core.request.context import Context
from ledgerkit.core.supplier_invoices.models import (
    SupplierInvoiceRow,
    SupplierPaymentRow,
    supplier_invoice,
    supplier_payment,
)
from ledgerkit.core.supplier_invoices.schemas import Status, SupplierInvoice, SupplierPayment

_HIDDEN_COLUMNS = {"account_id", "version", "number_key", "search_text"}
_TIME_COLUMNS = {"created_at", "updated_at", "cancelled_at"}
_PLAIN_COLUMNS = [column for column in supplier_invoice.c if column.name not in _HIDDEN_COLUMNS | _TIME_COLUMNS]
_PAYMENT_COLUMNS = [column for column in supplier_payment.c if column.name not in {"account_id", "created_at"}]

TODAY = bindparam("today", type_=Date)

_ZERO: ColumnElement[Any] = literal_column("0")
"""Literal zero: the planner does not match a partial index's predicate with a parameter."""

_balance, _cancelled_at = supplier_invoice.c.balance, supplier_invoice.c.cancelled_at
_not_yet_due = supplier_invoice.c.due_date >= TODAY
_partly_paid = supplier_invoice.c.paid_amount > _ZERO

unpaid = and_(_balance > _ZERO, _cancelled_at.is_(None))
"""Condition of open invoices, as in the predicate of their partial indexes."""

overdue = and_(unpaid, supplier_invoice.c.due_date < TODAY)
not_overdue = or_(_balance <= _ZERO, _cancelled_at.is_not(None), _not_yet_due)

WITH_STATUS: dict[Status, ColumnElement[bool]] = {
    "cancelled": _cancelled_at.is_not(None),
    "paid": and_(_balance <= _ZERO, _cancelled_at.is_(None)),
    "overdue": overdue,
    "partial": and_(unpaid, _not_yet_due, _partly_paid),
    "pending": and_(unpaid, _not_yet_due, ~_partly_paid),
}
"""Condition of each status; every invoice meets exactly one."""

status = case(
    (_cancelled_at.is_not(None), constant("cancelled")),
    (_balance <= _ZERO, constant("paid")),
    (supplier_invoice.c.due_date < TODAY, constant("overdue")),
    (_partly_paid, constant("partial")),
    else_=constant("pending"),
)
"""Status derived on every read, in this order (decisions K3): an overdue invoice stays so after a part payment."""


def status_of(row: SupplierInvoiceRow, today: date) -> Status:
    """Return the status of a row on the day `today`, by the rules of `status`."""
    if row.cancelled_at is not None:
        return "cancelled"
    if row.balance <= 0:
        return "paid"
    if row.due_date < today:
        return "overdue"
    return "partial" if row.paid_amount > 0 else "pending"


def wire_columns() -> list[Label[Any]]:
    """Return the columns of a list rendered by the database: those of `as_invoice`. Needs the parameter `today`."""
    return [
        *(wire_column(column.name, column) for column in _PLAIN_COLUMNS),
        *(wire_column(name, wire_time(supplier_invoice.c[name])) for name in sorted(_TIME_COLUMNS)),
        wire_column("status", status),
    ]


def payment_columns() -> list[Label[Any]]:
    return [
        *(wire_column(column.name, column) for column in _PAYMENT_COLUMNS),
        wire_column("created_at", wire_time(supplier_payment.c.created_at)),
    ]


def fields_of(ctx: Context, row: SupplierInvoiceRow) -> dict[str, object]:
    """Return the fields of a `SupplierInvoice` by name."""
    values = _with_text_ids({column.name: getattr(row, column.name) for column in _PLAIN_COLUMNS})
    times = {name: getattr(row, name) for name in _TIME_COLUMNS}
    return values | times | {"status": status_of(row, ctx.account.today()), "version": row.version}


def as_invoice(ctx: Context, row: SupplierInvoiceRow) -> SupplierInvoice:
    return SupplierInvoice.model_validate(fields_of(ctx, row))


def as_payment(row: SupplierPaymentRow) -> SupplierPayment:
    values = {column.name: getattr(row, column.name) for column in _PAYMENT_COLUMNS}
    return SupplierPayment.model_validate(_with_text_ids(values) | {"created_at": row.created_at})


def label(row: SupplierInvoiceRow) -> str:
    """Return the invoice's number and vendor, by which people recognise it."""
    return " ".join(part for part in (row.invoice_number, row.vendor_name) if part)


def _with_text_ids(values: Mapping[str, object]) -> dict[str, object]:
    return {name: str(value) if isinstance(value, UUID) else value for name, value in values.items()}
