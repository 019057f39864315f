"""Lists of supplier invoices and of their payments: filters, orders and totals."""

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
    not_,
    select,
    union_all,
)

from ledgerkit.core.platform import records
from ledgerkit.core.platform.api_types.list_pages import (
    LIMIT,
    OFFSET,
    Page,
    PageRequest,
    PageRow,
    PageStatement,
    cut_statement,
    fetch_page,
)
from ledgerkit.core.platform.database.ids import id_sought
from ledgerkit.core.platform.records import counters, search
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.supplier_invoices import output
from ledgerkit.core.purchases.supplier_invoices.api import Order, Sort, Status
from ledgerkit.core.purchases.supplier_invoices.table import supplier_invoice, supplier_payment

OPEN, PAID, CANCELLED = (f"supplier_invoice.{state}" for state in ("open", "paid", "cancelled"))
PAYMENTS = "supplier_payment"
"""Kinds of the counters."""

_FIXED_FILTERS = {"status", "overdue", "is_open"}

_SORT_COLUMNS: dict[Sort, ColumnElement[Any]] = {
    "invoiceDate": supplier_invoice.c.invoice_date,
    "dueDate": supplier_invoice.c.due_date,
    "total": supplier_invoice.c.total,
    "balance": supplier_invoice.c.balance,
    "createdAt": supplier_invoice.c.created_at,
}


@dataclass(frozen=True, kw_only=True)
class SupplierInvoiceFilter:
    """Filter of a list of supplier invoices: all conditions given must hold.

    `date_from` and `date_to` bound the invoice's date, `due_from` and `due_to` the day it is due, inclusive.
    `is_open`: something is owed, or nothing is.
    """

    vendor_id: str | None = None
    status: Status | None = None
    overdue: bool | None = None
    is_open: bool | None = None
    date_from: date | None = None
    date_to: date | None = None
    due_from: date | None = None
    due_to: date | None = None
    amount_min: Decimal | None = None
    amount_max: Decimal | None = None
    query: str | None = None


@dataclass(frozen=True, kw_only=True)
class SupplierPaymentFilter:
    """Filter of a list of payments: all conditions given must hold. The method must match to the letter."""

    vendor_id: str | None = None
    payment_method: str | None = None
    date_from: date | None = None
    date_to: date | None = None


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def listing(
    ctx: Context, page: PageRequest, criteria: SupplierInvoiceFilter, sort: Sort = "dueDate", order: Order = "asc"
) -> Page:
    """List supplier invoices. `query` is looked for in number, vendor, tax id, item texts, category and notes.

    `status="overdue"` and `overdue=True` select the same invoices. Sorting by status means by its name, then due date.
    """
    parameters = _parameters(criteria)
    standing = _Standing(criteria.status, criteria.overdue, criteria.is_open)
    statement = _invoices(standing, frozenset(parameters), sort, order)
    return await fetch_page(ctx.db, statement, page, today=ctx.account.today(), **parameters)


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def all_payments(ctx: Context, page: PageRequest, criteria: SupplierPaymentFilter) -> Page:
    """List the payments to all vendors, the latest first."""
    parameters = _parameters(criteria)
    return await fetch_page(ctx.db, _payments(frozenset(parameters)), page, **parameters)


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def payments_of(ctx: Context, invoice_id: str, page: PageRequest) -> Page:
    """List the payments of one supplier invoice in the order in which they were recorded."""
    row = await records.fetch(ctx, supplier_invoice, invoice_id, "supplier invoice")
    return await fetch_page(ctx.db, _PAYMENTS_OF_INVOICE, page, supplier_invoice_id=row.id)


def _parameters(criteria: SupplierInvoiceFilter | SupplierPaymentFilter) -> dict[str, Any]:
    """Return the filters that are parameters of the statement, by name; a malformed id matches nothing."""
    values = {
        field.name: getattr(criteria, field.name) for field in fields(criteria) if field.name not in _FIXED_FILTERS
    }
    parameters = {name: value for name, value in values.items() if value is not None}
    if "vendor_id" in parameters:
        parameters["vendor_id"] = id_sought(parameters["vendor_id"])
    query = parameters.pop("query", "").strip()
    return parameters | (search.sought(query) if query else {})


# ---------------------------------------------------------------- statements


@dataclass(frozen=True)
class _Standing:
    """The filters that are part of the statement's text, so that partial indexes serve them."""

    status: Status | None
    overdue: bool | None
    is_open: bool | None

    def conditions(self) -> list[ColumnElement[bool]]:
        of_status = [] if self.status is None else [output.WITH_STATUS[self.status]]
        of_day = [] if self.overdue is None else [output.overdue if self.overdue else output.not_overdue]
        of_debt = [] if self.is_open is None else [output.unpaid if self.is_open else not_(output.unpaid)]
        return [*of_day, *of_debt, *of_status]

    @property
    def is_counted(self) -> bool:
        """True when counters know how many there are, but for the overdue ones to be taken off."""
        return self.overdue is not True and self.is_open is None and self.status in _COUNTERS


@lru_cache(maxsize=512)
def _invoices(standing: _Standing, filters: frozenset[str], sort: Sort, order: Order) -> PageStatement[PageRow]:
    conditions = _conditions(supplier_invoice, filters, supplier_invoice.c.invoice_date)
    if (
        "date_from" in filters
    ):  # implied by the filter, since none is due before its date; the index by due date uses it
        conditions.append(supplier_invoice.c.due_date >= bindparam("date_from", type_=Date))
    conditions += standing.conditions()
    if sort == "status" and standing.status is None:
        return _by_status(conditions, order)
    column = _SORT_COLUMNS["dueDate" if sort == "status" else sort]
    is_counted = standing.is_counted and not filters
    return output.INVOICES.statement(
        *conditions,
        order=_ordered(order, column, supplier_invoice.c.id),
        total=_counted(standing.status, standing.overdue) if is_counted else None,
    )


_COUNTERS: dict[Status | None, list[str]] = {
    None: [OPEN, PAID, CANCELLED],
    "paid": [PAID],
    "cancelled": [CANCELLED],
}
"""Counters by the status they total. For every other one only open invoices have to be counted."""


def _counted(status: Status | None, overdue: bool | None = None) -> ColumnElement[int]:
    """Return the total from the counters; with `overdue` False and no status, less the overdue invoices."""
    total = counters.total(_COUNTERS[status])
    return total - output.INVOICES.count(output.overdue) if overdue is False and status is None else total


def _ordered(order: Order, *keys: ColumnElement[Any]) -> list[ColumnElement[Any]]:
    return [key.desc() for key in keys] if order == "desc" else list(keys)


def _by_status(conditions: Sequence[ColumnElement[bool]], order: Order) -> PageStatement[PageRow]:
    """Return the statement of the list sorted by the status's name, then by due date.

    No index can hold a status, since it changes with the day. So each status is a list of its own, in the order of an
    index, and the number of rows before it decides how many of its rows the page takes. A page costs no more than a
    page of any other list.
    """
    rows_before: ColumnElement[Any] = literal_column("0")
    parts = []
    for place, status in enumerate(sorted(output.WITH_STATUS, reverse=order == "desc")):
        status_conditions = [*conditions, output.WITH_STATUS[status]]
        ordered = _ordered(order, supplier_invoice.c.due_date, supplier_invoice.c.id)
        offset = func.greatest(OFFSET - rows_before, 0)
        end = func.greatest(OFFSET + LIMIT - rows_before, 0)
        listed = select(*output.INVOICES.columns, literal_column(f"{place}").label("place")).where(*status_conditions)
        parts.append(listed.order_by(*ordered).offset(offset).limit(end - offset))
        uncounted = conditions or status not in _COUNTERS
        rows_before = rows_before + (output.INVOICES.count(*status_conditions) if uncounted else _counted(status))
    page_rows = union_all(*parts).subquery()
    list_columns = [page_rows.c[column.name] for column in output.INVOICES.columns]
    rows = select(*list_columns).order_by(page_rows.c.place, *_ordered(order, page_rows.c.dueDate, page_rows.c.id))
    return cut_statement(rows, output.INVOICES.count(*conditions) if conditions else _counted(None))


@lru_cache(maxsize=32)
def _payments(filters: frozenset[str]) -> PageStatement[PageRow]:
    conditions = _conditions(supplier_payment, filters - {"vendor_id"}, supplier_payment.c.payment_date)
    if "vendor_id" in filters:
        conditions.append(supplier_payment.c.supplier_invoice_id.in_(_OF_VENDOR))
    return output.PAYMENTS.statement(*conditions, total=None if conditions else counters.total([PAYMENTS]))


def _conditions(table: Table, filters: frozenset[str], date_column: ColumnElement[date]) -> list[ColumnElement[bool]]:
    available: dict[str, Callable[[], ColumnElement[bool]]] = {
        "vendor_id": lambda: table.c.vendor_id == bindparam("vendor_id", type_=Uuid),
        "payment_method": lambda: table.c.payment_method == bindparam("payment_method", type_=Text),
        "date_from": lambda: date_column >= bindparam("date_from", type_=Date),
        "date_to": lambda: date_column <= bindparam("date_to", type_=Date),
        "due_from": lambda: table.c.due_date >= bindparam("due_from", type_=Date),
        "due_to": lambda: table.c.due_date <= bindparam("due_to", type_=Date),
        "amount_min": lambda: table.c.total >= bindparam("amount_min", type_=Numeric),
        "amount_max": lambda: table.c.total <= bindparam("amount_max", type_=Numeric),
        "terms": lambda: search.contains(table),
    }
    return [condition() for name, condition in available.items() if name in filters]


_OF_VENDOR = select(supplier_invoice.c.id).where(supplier_invoice.c.vendor_id == bindparam("vendor_id", type_=Uuid))
_OF_INVOICE = supplier_payment.c.supplier_invoice_id == bindparam("supplier_invoice_id", type_=Uuid)
_PAYMENTS_OF_INVOICE = output.PAYMENTS.statement(_OF_INVOICE, order=[supplier_payment.c.id])
