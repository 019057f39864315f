"""Lists of supplier invoices and of their payments: filters, orders, and what each is counted by."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Date,
    Numeric,
    Table,
    Text,
    Uuid,
    bindparam,
    func,
    literal_column,
    select,
    union_all,
)

from ledgerkit.core import records
from ledgerkit.core.api_types.paging import (
    LIMIT,
    OFFSET,
    Page,
    PageRequest,
    PageRow,
    cut_statement,
    fetch_page,
    page_statement,
)
from ledgerkit.core.database.ids import id_sought
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.records import counters, search
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.core.supplier_invoices import shapes
from ledgerkit.core.supplier_invoices.models import supplier_invoice, supplier_payment
from ledgerkit.core.supplier_invoices.schemas import Order, Sort, Status

OPEN, PAID, CANCELLED = (f"supplier_invoice.{state}" for state in ("open", "paid", "cancelled"))
PAYMENTS = "supplier_payment"
"""Kinds of the tally."""

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
        given["vendor_id"] = id_sought(given["vendor_id"])
    query = given.pop("query", "").strip()
    return given | (search.sought(query) if query else {})


# ---------------------------------------------------------------- statements


@lru_cache(maxsize=512)
def _invoices(
    status: Status | None, overdue: bool | None, given: frozenset[str], sort: Sort, order: Order
) -> Prepared[PageRow]:
    conditions = _conditions(supplier_invoice, given, supplier_invoice.c.invoice_date)
    if "date_from" in given:  # implied, since none is due before its day, and seen by the index that orders them
        conditions.append(supplier_invoice.c.due_date >= bindparam("date_from", type_=Date))
    if overdue is not None:
        conditions.append(shapes.overdue if overdue else shapes.not_overdue)
    if sort == "status" and status is None:
        return _by_status(conditions, order)
    if status is not None:
        conditions.append(shapes.HAVING[status])
    column = _COLUMNS["dueDate" if sort == "status" else sort]
    rows = select(*shapes.wire_columns()).where(*conditions).order_by(*_ordered(order, column, supplier_invoice.c.id))
    plain = not given and overdue is not True and status in _TALLIED
    return page_statement(rows, _tallied(status, overdue) if plain else _count(conditions))


_TALLIED: dict[Status | None, list[str]] = {None: [OPEN, PAID, CANCELLED], "paid": [PAID], "cancelled": [CANCELLED]}
"""What is counted at the same cost whatever its number; of all others only open ones are read."""


def _tallied(status: Status | None, overdue: bool | None = None) -> ColumnElement[int]:
    """`overdue` is False for those that are not: of what has a status of its own, all."""
    total = counters.total(_TALLIED[status])
    return total - _count([shapes.overdue]) if overdue is False and status is None else total


def _count(conditions: Sequence[ColumnElement[bool]]) -> ColumnElement[int]:
    return select(func.count()).select_from(supplier_invoice).where(*conditions).scalar_subquery()


def _ordered(order: Order, *keys: ColumnElement[Any]) -> list[ColumnElement[Any]]:
    return [key.desc() for key in keys] if order == "desc" else list(keys)


def _by_status(conditions: Sequence[ColumnElement[bool]], order: Order) -> Prepared[PageRow]:
    """The list by the status's word, then by due date.

    No index knows a status, which changes with the day. So each status is a list of its own in the order of its index,
    and what the page takes from it follows from how many come before: a page costs what a page of any list costs.
    """
    before: ColumnElement[Any] = literal_column("0")
    parts = []
    for place, status in enumerate(sorted(shapes.HAVING, reverse=order == "desc")):
        own = [*conditions, shapes.HAVING[status]]
        ordered = _ordered(order, supplier_invoice.c.due_date, supplier_invoice.c.id)
        first = func.greatest(OFFSET - before, 0)
        last = func.greatest(OFFSET + LIMIT - before, 0)
        listed = select(*shapes.wire_columns(), literal_column(f"{place}").label("place")).where(*own)
        parts.append(listed.order_by(*ordered).offset(first).limit(last - first))
        before = before + (_count(own) if conditions or status not in _TALLIED else _tallied(status))
    found = union_all(*parts).subquery()
    shown = [found.c[column.name] for column in shapes.wire_columns()]
    rows = select(*shown).order_by(found.c.place, *_ordered(order, found.c.dueDate, found.c.id))
    return cut_statement(rows, _count(conditions) if conditions else _tallied(None))


@lru_cache(maxsize=32)
def _payments(given: frozenset[str]) -> Prepared[PageRow]:
    conditions = _conditions(supplier_payment, given, supplier_payment.c.payment_date)
    latest = supplier_payment.c.payment_date.desc(), supplier_payment.c.id.desc()
    rows = select(*shapes.payment_columns()).where(*conditions).order_by(*latest)
    counted = select(func.count()).select_from(supplier_payment).where(*conditions).scalar_subquery()
    return page_statement(rows, counted if conditions else counters.total([PAYMENTS]))


def _conditions(table: Table, given: frozenset[str], day: ColumnElement[date]) -> list[ColumnElement[bool]]:
    known: dict[str, Callable[[], ColumnElement[bool]]] = {
        "vendor_id": lambda: table.c.vendor_id == bindparam("vendor_id", type_=Uuid),
        "payment_method": lambda: table.c.payment_method == bindparam("payment_method", type_=Text),
        "date_from": lambda: day >= bindparam("date_from", type_=Date),
        "date_to": lambda: day <= bindparam("date_to", type_=Date),
        "amount_min": lambda: table.c.total >= bindparam("amount_min", type_=Numeric),
        "amount_max": lambda: table.c.total <= bindparam("amount_max", type_=Numeric),
        "terms": lambda: search.contains(table),
    }
    return [condition() for name, condition in known.items() if name in given]


_ONE = supplier_payment.c.supplier_invoice_id == bindparam("supplier_invoice_id", type_=Uuid)
_OF_ONE = page_statement(
    select(*shapes.payment_columns()).where(_ONE).order_by(supplier_payment.c.id),
    select(func.count()).select_from(supplier_payment).where(_ONE).scalar_subquery(),
)
