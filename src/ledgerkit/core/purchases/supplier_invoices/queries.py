"""Supplier invoices and their payments: lists with filters, orders and totals; invoices that other documents name."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Date,
    Text,
    Uuid,
    bindparam,
    exists,
    func,
    literal_column,
    not_,
    or_,
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
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.received_documents.queries import PurchaseFilter
from ledgerkit.core.purchases.supplier_invoices import output
from ledgerkit.core.purchases.supplier_invoices.api import Order, Sort, Status
from ledgerkit.core.purchases.supplier_invoices.input import number_key
from ledgerkit.core.purchases.supplier_invoices.output import CANCELLED, FILTERS, OPEN, PAID
from ledgerkit.core.purchases.supplier_invoices.table import SupplierInvoiceRow, supplier_invoice, supplier_payment

_FIXED_FILTERS = {"status", "overdue", "is_open"}

_SORT_COLUMNS: dict[Sort, ColumnElement[Any]] = {
    "invoiceDate": supplier_invoice.c.invoice_date,
    "dueDate": supplier_invoice.c.due_date,
    "total": supplier_invoice.c.total,
    "balance": supplier_invoice.c.balance,
    "createdAt": supplier_invoice.c.created_at,
}


@dataclass(frozen=True, kw_only=True)
class SupplierInvoiceFilter(PurchaseFilter):
    """Filter of a list of supplier invoices: `due_from` and `due_to` bound the day it is due, inclusive.

    `is_open`: something is not settled, which may be a credit note, or all is.
    """

    status: Status | None = None
    overdue: bool | None = None
    is_open: bool | None = None
    due_from: date | None = None
    due_to: date | None = None
    amount_min: Decimal | None = None
    amount_max: Decimal | None = None
    query: str | None = None


@dataclass(frozen=True, kw_only=True)
class SupplierPaymentFilter(PurchaseFilter):
    """Filter of a list of payments. The method must match to the letter."""

    payment_method: str | None = None


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def listing(
    ctx: Context, page: PageRequest, criteria: SupplierInvoiceFilter, sort: Sort = "dueDate", order: Order = "asc"
) -> Page:
    """List supplier invoices. `query` is looked for in number, vendor, tax id, item texts, category and notes.

    `status="overdue"` and `overdue=True` select the same invoices. Sorting by status means by its name, then due date.
    """
    parameters = criteria.parameters(without=_FIXED_FILTERS)
    standing = _Standing(criteria.status, criteria.overdue, criteria.is_open)
    statement = _invoices(standing, frozenset(parameters), sort, order)
    return await fetch_page(ctx.db, statement, page, today=ctx.account.today(), **parameters)


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def all_payments(ctx: Context, page: PageRequest, criteria: SupplierPaymentFilter) -> Page:
    """List the payments to all vendors, the latest first."""
    return await output.PAYMENTS.page(ctx.db, page, **criteria.parameters())


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def payments_of(ctx: Context, invoice_id: str, page: PageRequest) -> Page:
    """List the payments of one supplier invoice in the order in which they were recorded."""
    row = await fetch(ctx, invoice_id)
    return await fetch_page(ctx.db, _PAYMENTS_OF_INVOICE, page, supplier_invoice_id=row.id)


async def fetch(ctx: Context, invoice_id: str) -> SupplierInvoiceRow:
    """Return a supplier invoice, cancelled ones too. Raises NotFound."""
    return await records.fetch(ctx, supplier_invoice, invoice_id, "supplier invoice")


async def recorded(ctx: Context, vendor_id: UUID, number: str | None) -> UUID | None:
    """Return the invoice of this vendor that is recorded under `number` and not cancelled."""
    if not number:
        return None
    row = await SAME_NUMBER.row(ctx.db, vendor_id=vendor_id, number_key=number_key(number))
    return None if row is None else row.id


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
    conditions = [condition for name, condition in FILTERS.items() if name in filters]
    if "date_from" in filters:  # none is due before its date, and the index is by due date
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


class _IdRow(Row):
    id: UUID


_OF_INVOICE = supplier_payment.c.supplier_invoice_id == bindparam("supplier_invoice_id", type_=Uuid)
_PAYMENTS_OF_INVOICE = output.PAYMENTS.statement(_OF_INVOICE, order=[supplier_payment.c.id])
SAME_NUMBER = Prepared(
    select(supplier_invoice.c.id).where(
        supplier_invoice.c.vendor_id == bindparam("vendor_id", type_=Uuid),
        supplier_invoice.c.number_key == bindparam("number_key", type_=Text),
        supplier_invoice.c.cancelled_at.is_(None),
    ),
    _IdRow,
)
"""Invoice of a vendor that is recorded under a number, as it is compared, and not cancelled."""


class _DaysRow(Row):
    invoice_date: date
    reception_date: date
    deduction_date: date


async def days_of(ctx: Context, bill_id: UUID) -> list[date]:
    """Return the days on which a supplier invoice counts."""
    row = await _DAYS_OF.row(ctx.db, bill_id=bill_id)
    return [] if row is None else [row.invoice_date, row.reception_date, row.deduction_date]


async def bears_withholding(ctx: Context, bill_id: UUID) -> bool:
    """Return True for an invoice with a retention, a credit note, and an invoice that has a credit note."""
    return (await _WITHHELD.one(ctx.db, bill_id=bill_id)).is_withheld


class _WithheldRow(Row):
    is_withheld: bool


_BILL = bindparam("bill_id", type_=Uuid)
_CREDIT_NOTE = supplier_invoice.alias("credit_note")
_DAYS_OF = Prepared(
    select(supplier_invoice.c.invoice_date, supplier_invoice.c.reception_date, supplier_invoice.c.deduction_date).where(
        supplier_invoice.c.id == _BILL
    ),
    _DaysRow,
)
_WITHHELD = Prepared(
    select(
        or_(
            exists().where(
                supplier_invoice.c.id == _BILL,
                or_(
                    supplier_invoice.c.retention_amount != 0,
                    supplier_invoice.c.total < 0,
                    supplier_invoice.c.rectifies.is_not(None),
                ),
            ),
            exists().where(_CREDIT_NOTE.c.rectifies == _BILL, _CREDIT_NOTE.c.cancelled_at.is_(None)),
        ).label("is_withheld")
    ),
    _WithheldRow,
)
