"""What is owed to vendors, in all: summary, aging, by vendor, and what is due soon.

Sums are of the account's own currency, and so is all that stands beside them (counts, the invoices of a bucket, the
vendors): each figure can be added up again from what is shown with it. Invoices in other currencies are in the lists
and among the alerts. Only open invoices are read, and the payments of the month; what a vendor has invoiced in all is
kept.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import Date, Integer, Text, and_, bindparam, cast, func, literal_column, select, type_coerce
from sqlalchemy.sql import ColumnElement, Subquery

from ledgerkit.core.api_types.paging import Page, PageRequest, fetch_page, page_statement
from ledgerkit.core.api_types.wire import wire_column
from ledgerkit.core.database.statements import Prepared, constant
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.core.supplier_invoices import shapes
from ledgerkit.core.supplier_invoices.models import supplier_invoice, supplier_payment, vendor_payable
from ledgerkit.core.supplier_invoices.schemas import PayablesSummary
from ledgerkit.core.supplier_invoices.shapes import TODAY

_CURRENCY = bindparam("currency", type_=Text)
_mine = supplier_invoice.c.currency == _CURRENCY


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def summary(ctx: Context) -> PayablesSummary:
    """What is owed and what was paid this month (interface decisions K9)."""
    today = ctx.account.today()
    owed = await _SUMMARY.one(ctx.db, today=today, currency=ctx.account.currency)
    first = today.replace(day=1)
    paid = await _PAID.one(ctx.db, first=first, beyond=_next_month(first), currency=ctx.account.currency)
    return PayablesSummary.model_validate(dict(owed) | dict(paid))


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def aging(ctx: Context) -> bytes:
    """Open invoices in the account's currency by days past due: an `Aging`, rendered (interface decisions K10)."""
    row = await _AGING.one(ctx.db, today=ctx.account.today(), currency=ctx.account.currency)
    return str(row.body).encode()


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def accounts_payable(ctx: Context, page: PageRequest) -> Page:
    """Vendors of invoices that are not cancelled, whom most is owed first (interface decisions K11).

    Name and tax id are those on the vendor's latest recorded invoice: the list reads no other domain's table.
    """
    return await fetch_page(ctx.db, _PAYABLE, page, today=ctx.account.today(), currency=ctx.account.currency)


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def alerts(ctx: Context) -> bytes:
    """Open invoices that are or will soon be due, in any currency: `PayableAlerts`, rendered (decisions K12)."""
    return str((await _ALERTS.one(ctx.db, today=ctx.account.today())).body).encode()


def _next_month(first: date) -> date:
    return date(first.year + first.month // 12, first.month % 12 + 1, 1)


# ---------------------------------------------------------------- statements


def _days_past(due: ColumnElement[date]) -> ColumnElement[int]:
    """Whole days between the due date and today; negative before it. PostgreSQL subtracts dates to a number."""
    return type_coerce(TODAY - due, Integer)


_balance, _due = supplier_invoice.c.balance, supplier_invoice.c.due_date
_late = _due < TODAY


def _sum(of: ColumnElement[bool]) -> ColumnElement[object]:
    return func.coalesce(func.sum(_balance).filter(of), 0)


_SUMMARY = Prepared(
    select(
        _sum(~_late).label("total_pending"),
        _sum(_late).label("total_overdue"),
        func.count().filter(_days_past(_due).between(-7, 0)).label("upcoming_due_count"),
        func.count(supplier_invoice.c.vendor_id.distinct()).label("active_vendors"),
        func.count().filter(supplier_invoice.c.paid_amount > 0).label("partial_count"),
    ).where(shapes.unpaid, _mine)
)
_PAID = Prepared(
    select(
        func.coalesce(func.sum(supplier_payment.c.amount), 0).label("month_payments"),
        func.count().label("month_payment_count"),
    ).where(
        supplier_payment.c.payment_date >= bindparam("first", type_=Date),
        supplier_payment.c.payment_date < bindparam("beyond", type_=Date),
        supplier_payment.c.currency == _CURRENCY,
    )
)

_part = select(*shapes.wire_columns()).where(shapes.unpaid).order_by(_due, supplier_invoice.c.id)


def _listed(of: ColumnElement[bool]) -> ColumnElement[object]:
    rows = func.json_agg(literal_column("part")).filter(of)
    return func.coalesce(rows, func.json_build_array())


def _object(fields: Mapping[str, ColumnElement[object]]) -> ColumnElement[object]:
    named: list[ColumnElement[Any]] = []
    for name, value in fields.items():
        named += [constant(name), value]
    return func.json_build_object(*named)


def _aging(part: Subquery) -> Prepared[Any]:
    days = _days_past(part.c.dueDate)
    buckets = {
        "current": days <= 0,
        "days30": days.between(1, 30),
        "days60": days.between(31, 60),
        "days90": days.between(61, 90),
        "days120": days.between(91, 120),
        "over120": days > 120,
    }
    sums = {name: func.coalesce(func.sum(part.c.balance).filter(of), 0) for name, of in buckets.items()}
    details = {name: _listed(of) for name, of in buckets.items()}
    body = _object({"buckets": _object(sums), "details": _object(details)})
    return Prepared(select(cast(body, Text).label("body")))


def _alerts(part: Subquery) -> Prepared[Any]:
    days = _days_past(part.c.dueDate)
    lists = {
        "dueToday": days == 0,
        "dueIn7Days": days.between(-7, -1),
        "overdue": days.between(1, 30),
        "overdue30Plus": days > 30,
    }
    body = _object({name: _listed(of) for name, of in lists.items()})
    return Prepared(select(cast(body, Text).label("body")))


_AGING = _aging(_part.where(_mine).subquery("part"))
_ALERTS = _alerts(_part.where(_days_past(_due) >= -7).subquery("part"))

_owed_to_them = and_(shapes.unpaid, _mine, supplier_invoice.c.vendor_id == vendor_payable.c.vendor_id)
_counted = and_(vendor_payable.c.currency == _CURRENCY, vendor_payable.c.invoice_count > literal_column("0"))
_PAYABLE = page_statement(
    select(
        wire_column("vendor_id", vendor_payable.c.vendor_id),
        wire_column("vendor_name", vendor_payable.c.vendor_name),
        wire_column("vendor_tax_id", vendor_payable.c.vendor_tax_id),
        wire_column("total_invoiced", vendor_payable.c.invoiced),
        wire_column("total_paid", vendor_payable.c.paid),
        wire_column("balance", vendor_payable.c.balance),
        wire_column("invoice_count", vendor_payable.c.invoice_count),
        wire_column("overdue_count", select(func.count()).where(_owed_to_them, _late).scalar_subquery()),
        wire_column("next_due", select(func.min(_due)).where(_owed_to_them).scalar_subquery()),
    )
    .where(_counted)
    .order_by(vendor_payable.c.balance.desc(), vendor_payable.c.vendor_id.desc()),
    select(func.count()).select_from(vendor_payable).where(_counted).scalar_subquery(),
)
