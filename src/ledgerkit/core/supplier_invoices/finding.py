"""Lists of supplier invoices and of their payments: filters, orders, and what each is counted by."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Date, Numeric, Table, Text, Uuid, bindparam, func, select

from ledgerkit.core import records, search, tally
from ledgerkit.core.context import Context
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.paging import Page, PageRequest, fetch_page, page_statement
from ledgerkit.core.permissions import Permission
from ledgerkit.core.statements import Prepared
from ledgerkit.core.supplier_invoices import shapes
from ledgerkit.core.supplier_invoices.models import supplier_invoice, supplier_payment
from ledgerkit.core.supplier_invoices.schemas import Order, Sort, Status

OPEN, PAID, CANCELLED = (f"supplier_invoice.{state}" for state in ("open", "paid", "cancelled"))
PAYMENTS = "supplier_payment"
"""Kinds of the tally."""

_NOBODY = UUID(int=0)
_COLUMNS: dict[Sort, ColumnElement[Any]] = {
    "invoiceDate": supplier_invoice.c.invoice_date,
    "dueDate": supplier_invoice.c.due_date,
    "total": supplier_invoice.c.total,
    "balance": supplier_invoice.c.balance,
    "createdAt": supplier_invoice.c.created_at,
}


@dataclass(frozen=True, kw_only=True)
class InvoiceFilter:
    """Which supplier invoices: those that meet all that is given. Days are of the invoice, amounts its total."""

    vendor_id: str | None = None
    status: Status | None = None
    overdue: bool | None = None
    date_from: date | None = None
    date_to: date | None = None
    amount_min: Decimal | None = None
    amount_max: Decimal | None = None
    query: str | None = None


@dataclass(frozen=True, kw_only=True)
class PaymentFilter:
    """Which payments: those that meet all that is given. Days are of the payment, its method to the letter."""

    vendor_id: str | None = None
    payment_method: str | None = None
    date_from: date | None = None
    date_to: date | None = None


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def listing(
    ctx: Context, page: PageRequest, wanted: InvoiceFilter, sort: Sort = "dueDate", order: Order = "asc"
) -> Page:
    """Supplier invoices. `query` looks into number, vendor, tax id, item texts, category and notes.

    `status="overdue"` and `overdue=True` are the same set. By status means by its word, then by due date.
    """
    given = _given(wanted)
    statement = _invoices(wanted.status, wanted.overdue, frozenset(given), sort, order)
    return await fetch_page(ctx.db, statement, page, today=ctx.account.today(), **given)


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def all_payments(ctx: Context, page: PageRequest, wanted: PaymentFilter) -> Page:
    """Payments to vendors, the latest first."""
    given = _given(wanted)
    return await fetch_page(ctx.db, _payments(frozenset(given)), page, **given)


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def payments_of(ctx: Context, invoice_id: str, page: PageRequest) -> Page:
    """The payments of one supplier invoice, in the order in which they were recorded."""
    row = await records.fetch(ctx, supplier_invoice, invoice_id, "supplier invoice")
    return await fetch_page(ctx.db, _OF_ONE, page, supplier_invoice_id=row.id)


def _given(wanted: InvoiceFilter | PaymentFilter) -> dict[str, Any]:
    """The filters that are parameters of the statement, by name; an id that cannot be one finds nothing."""
    named = {field.name: getattr(wanted, field.name) for field in fields(wanted)}
    given = {name: value for name, value in named.items() if value is not None and name not in {"status", "overdue"}}
    if "vendor_id" in given:
        given["vendor_id"] = _known_id(given["vendor_id"])
    query = given.pop("query", "").strip()
    return given | (search.sought(query) if query else {})


def _known_id(value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError:
        return _NOBODY


# ---------------------------------------------------------------- statements


@lru_cache(maxsize=512)
def _invoices(status: Status | None, overdue: bool | None, given: frozenset[str], sort: Sort, order: Order) -> Prepared:
    conditions = _conditions(supplier_invoice, given, supplier_invoice.c.invoice_date)
    if status is not None:
        conditions.append(shapes.HAVING[status])
    if overdue is not None:
        conditions.append(shapes.overdue if overdue else shapes.not_overdue)
    rows = select(*shapes.wire_columns()).where(*conditions).order_by(*_order(sort, order))
    return page_statement(rows, _total(status, conditions))


def _total(status: Status | None, conditions: list[ColumnElement[bool]]) -> ColumnElement[int]:
    """How many; for all, all paid and all cancelled at the same cost whatever their number."""
    if not conditions:
        return tally.total([OPEN, PAID, CANCELLED])
    if len(conditions) == 1 and status in {"paid", "cancelled"}:
        return tally.total([PAID if status == "paid" else CANCELLED])
    return select(func.count()).select_from(supplier_invoice).where(*conditions).scalar_subquery()


def _order(sort: Sort, order: Order) -> list[ColumnElement[Any]]:
    by = [shapes.status, supplier_invoice.c.due_date] if sort == "status" else [_COLUMNS[sort]]
    keys = [*by, supplier_invoice.c.id]
    return [key.desc() for key in keys] if order == "desc" else keys


@lru_cache(maxsize=32)
def _payments(given: frozenset[str]) -> Prepared:
    conditions = _conditions(supplier_payment, given, supplier_payment.c.payment_date)
    latest = supplier_payment.c.payment_date.desc(), supplier_payment.c.id.desc()
    rows = select(*shapes.payment_columns()).where(*conditions).order_by(*latest)
    counted = select(func.count()).select_from(supplier_payment).where(*conditions).scalar_subquery()
    return page_statement(rows, counted if conditions else tally.total([PAYMENTS]))


def _conditions(table: Table, given: frozenset[str], day: ColumnElement[date]) -> list[ColumnElement[bool]]:
    known: dict[str, Callable[[], ColumnElement[bool]]] = {
        "vendor_id": lambda: table.c.vendor_id == bindparam("vendor_id", type_=Uuid),
        "payment_method": lambda: table.c.payment_method == bindparam("payment_method", type_=Text),
        "date_from": lambda: day >= bindparam("date_from", type_=Date),
        "date_to": lambda: day <= bindparam("date_to", type_=Date),
        "amount_min": lambda: table.c.total >= bindparam("amount_min", type_=Numeric),
        "amount_max": lambda: table.c.total <= bindparam("amount_max", type_=Numeric),
        "pattern": lambda: search.contains(table),
    }
    return [condition() for name, condition in known.items() if name in given]


_ONE = supplier_payment.c.supplier_invoice_id == bindparam("supplier_invoice_id", type_=Uuid)
_OF_ONE = page_statement(
    select(*shapes.payment_columns()).where(_ONE).order_by(supplier_payment.c.id),
    select(func.count()).select_from(supplier_payment).where(_ONE).scalar_subquery(),
)
