"""Overviews of accounts payable: summary, aging, totals by vendor, and invoices due soon.

Sums are in the account's currency, and so are the counts, the invoices of a bucket and the vendors shown with them:
each figure can be added up again from what is shown with it. Credit notes of vendors lower the sums by what is not
given back yet. Invoices in other currencies count by their exchange rate; those without one are in the lists and among
the alerts only. Only open invoices and the month's payments are read; a vendor's totals are stored.
"""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Date, Integer, Text, and_, bindparam, cast, func, literal_column, or_, select, type_coerce
from sqlalchemy.sql import ColumnElement, Subquery

from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest, fetch_page
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.platform.documents.exchange_rates import Convertible
from ledgerkit.core.platform.records.listing import Listing
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.supplier_invoices import output as supplier_invoice_output
from ledgerkit.core.purchases.supplier_invoices.api import PayablesSummary, VendorPayable
from ledgerkit.core.purchases.supplier_invoices.output import TODAY
from ledgerkit.core.purchases.supplier_invoices.table import supplier_invoice, supplier_payment, vendor_payable

_CURRENCY = bindparam("currency", type_=Text)
_in_account_currency = exchange_rates.in_account_currency(supplier_invoice, _CURRENCY)


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def summary(ctx: Context) -> PayablesSummary:
    """Return the sums and counts of open invoices and of this month's payments (interface decisions K9)."""
    today = ctx.account.today()
    owed = await _SUMMARY.one(ctx.db, today=today, currency=ctx.account.currency)
    month_start = today.replace(day=1)
    paid = await _PAID.one(ctx.db, first=month_start, beyond=_next_month(month_start), currency=ctx.account.currency)
    return PayablesSummary(
        total_pending=owed.total_pending,
        total_overdue=owed.total_overdue,
        upcoming_due_count=owed.upcoming_due_count,
        month_payments=paid.month_payments,
        month_payment_count=paid.month_payment_count,
        active_vendors=owed.active_vendors,
        partial_count=owed.partial_count,
    )


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def aging(ctx: Context) -> bytes:
    """Return the open invoices in the account's currency by days past due: the JSON of an `Aging` (decisions K10)."""
    row = await _AGING.one(ctx.db, today=ctx.account.today(), currency=ctx.account.currency)
    return row.body.encode()


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def accounts_payable(ctx: Context, page: PageRequest) -> Page:
    """List the vendors of invoices that are not cancelled, the largest balance first (interface decisions K11).

    Name and tax id are those on the vendor's latest recorded invoice: the list reads no other domain's table.
    """
    return await fetch_page(ctx.db, _VENDOR_PAYABLES, page, today=ctx.account.today(), currency=ctx.account.currency)


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def alerts(ctx: Context) -> bytes:
    """Return the open invoices that are due or soon will be, in any currency: the JSON of `PayableAlerts` (K12)."""
    return (await _ALERTS.one(ctx.db, today=ctx.account.today())).body.encode()


def _next_month(month_start: date) -> date:
    return date(month_start.year + month_start.month // 12, month_start.month % 12 + 1, 1)


# ---------------------------------------------------------------- statements


def _days_past(due: ColumnElement[date]) -> ColumnElement[int]:
    """Return the whole days from the due date to today, negative before it: PostgreSQL subtracts dates to a number."""
    return type_coerce(TODAY - due, Integer)


_balance = supplier_invoice_output.account_balance
_due = supplier_invoice.c.due_date
_overdue = _due < TODAY


def _balance_where(condition: ColumnElement[bool]) -> ColumnElement[object]:
    return func.coalesce(func.sum(_balance).filter(condition), 0)


class _OpenSumsRow(Row):
    total_pending: Decimal
    total_overdue: Decimal
    upcoming_due_count: int
    active_vendors: int
    partial_count: int


class _PaidSumsRow(Row):
    month_payments: Decimal
    month_payment_count: int


class _JsonRow(Row):
    body: str


_SUMMARY = Prepared(
    select(
        _balance_where(~_overdue).label("total_pending"),
        _balance_where(_overdue).label("total_overdue"),
        func.count().filter(_days_past(_due).between(-7, 0)).label("upcoming_due_count"),
        func.count(supplier_invoice.c.vendor_id.distinct()).label("active_vendors"),
        func.count().filter(supplier_invoice.c.paid_amount != 0).label("partial_count"),
    ).where(supplier_invoice_output.unpaid, _in_account_currency),
    _OpenSumsRow,
)
_PAID = Prepared(
    select(
        func.coalesce(func.sum(supplier_invoice_output.account_payment), 0).label("month_payments"),
        func.count().label("month_payment_count"),
    ).where(
        supplier_payment.c.payment_date >= bindparam("first", type_=Date),
        supplier_payment.c.payment_date < bindparam("beyond", type_=Date),
        or_(supplier_payment.c.currency == _CURRENCY, supplier_payment.c.base_amount.is_not(None)),
    ),
    _PaidSumsRow,
)

_open_invoices = (
    select(*supplier_invoice_output.INVOICES.columns)
    .where(supplier_invoice_output.unpaid)
    .order_by(_due, supplier_invoice.c.id)
)


def _invoices_where(condition: ColumnElement[bool]) -> ColumnElement[object]:
    rows = func.json_agg(literal_column("part")).filter(condition)
    return func.coalesce(rows, func.json_build_array())


def _object(fields: Mapping[str, ColumnElement[object]]) -> ColumnElement[object]:
    arguments: list[ColumnElement[Any]] = []
    for name, value in fields.items():
        arguments += [constant(name), value]
    return func.json_build_object(*arguments)


def _aging(open_invoices: Subquery) -> Prepared[_JsonRow]:
    days = _days_past(open_invoices.c.dueDate)
    buckets = {
        "current": days <= 0,
        "days30": days.between(1, 30),
        "days60": days.between(31, 60),
        "days90": days.between(61, 90),
        "days120": days.between(91, 120),
        "over120": days > 120,
    }
    shown = open_invoices.c
    owed = exchange_rates.account_balance(
        Convertible(shown.total, shown.exchangeRate, shown.converted), shown.paidAmount
    )
    balance = func.sum(owed)
    sums: dict[str, ColumnElement[object]] = {
        name: func.coalesce(balance.filter(condition), 0) for name, condition in buckets.items()
    }
    details = {name: _invoices_where(condition) for name, condition in buckets.items()}
    body = _object({"buckets": _object(sums), "details": _object(details)})
    return Prepared(select(cast(body, Text).label("body")), _JsonRow)


def _alerts(open_invoices: Subquery) -> Prepared[_JsonRow]:
    days = _days_past(open_invoices.c.dueDate)
    lists = {
        "dueToday": days == 0,
        "dueIn7Days": days.between(-7, -1),
        "overdue": days.between(1, 30),
        "overdue30Plus": days > 30,
    }
    body = _object({name: _invoices_where(condition) for name, condition in lists.items()})
    return Prepared(select(cast(body, Text).label("body")), _JsonRow)


_AGING = _aging(_open_invoices.where(_in_account_currency).subquery("part"))
_ALERTS = _alerts(_open_invoices.where(_days_past(_due) >= -7).subquery("part"))

_of_vendor = supplier_invoice.c.vendor_id == vendor_payable.c.vendor_id
_open_invoices_of_vendor = and_(supplier_invoice_output.unpaid, _in_account_currency, _of_vendor)
_with_invoices = and_(vendor_payable.c.currency == _CURRENCY, vendor_payable.c.invoice_count > literal_column("0"))
_VENDOR_PAYABLES = Listing(
    vendor_payable,
    VendorPayable,
    order=[vendor_payable.c.balance.desc(), vendor_payable.c.vendor_id.desc()],
    computed={
        "total_invoiced": vendor_payable.c.invoiced,
        "total_paid": vendor_payable.c.paid,
        "overdue_count": select(func.count()).where(_open_invoices_of_vendor, _overdue).scalar_subquery(),
        "next_due": select(func.min(_due)).where(_open_invoices_of_vendor).scalar_subquery(),
    },
).statement(_with_invoices)
