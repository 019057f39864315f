"""What documents come to, as reports ask it: a statement for each question, at the cost of the span's documents."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Date, FromClause, bindparam, case, func, literal_column, null, select

from ledgerkit.core.database.statements import Prepared, constant
from ledgerkit.core.reports import purchases, sales
from ledgerkit.core.reports.periods import DateRange, month
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO

_NOTHING = Decimal("0.00")


async def income(ctx: Context, span: DateRange) -> list[Any]:
    """`month, invoiced` (net of tax), `invoices` (how many, corrections not counted)."""
    return await _asked(ctx, _INCOME, span)


async def by_client(ctx: Context, span: DateRange, most: int | None = None) -> list[Any]:
    """`client_id, name, invoiced, invoices`, the largest first; all documents without a stored client are one."""
    return await _asked(ctx, _BY_CLIENT, span, most=most)


async def costs(ctx: Context, span: DateRange) -> list[Any]:
    """`month, category, amount`."""
    return await _asked(ctx, _COSTS, span)


async def collected(ctx: Context, span: DateRange) -> Mapping[str, Decimal]:
    """The cash that came in, by month."""
    return _by_month(await _asked(ctx, _RECEIVED, span))


async def spent(ctx: Context, span: DateRange) -> Mapping[str, Decimal]:
    """The cash that went out, by month."""
    return _by_month(await _asked(ctx, _SPENT, span))


async def sales_taxes(ctx: Context, span: DateRange) -> list[Any]:
    """`taxed, rate, base, tax, surcharge` of what was sold; `taxed` is false where no VAT is due here."""
    return await _asked(ctx, _SALES_TAXES, span)


async def assessed_taxes(ctx: Context, span: DateRange) -> list[Any]:
    """`rate, base, tax` that the account owes as a buyer."""
    return await _asked(ctx, _ASSESSED, span)


async def deducted_taxes(ctx: Context, span: DateRange) -> list[Any]:
    """`rate, base, tax` that it deducts."""
    return await _asked(ctx, _DEDUCTED, span)


async def retentions(ctx: Context, span: DateRange) -> Any:
    """`suffered, withheld`: income tax that clients have kept back, and that was kept back from vendors."""
    [row] = await _asked(ctx, _RETENTIONS, span)
    return row


async def receivable(ctx: Context, span: DateRange | None = None) -> Any:
    """`count, amount, overdue_count, overdue, oldest` of what clients owe today, on documents of the span or on all."""
    today = ctx.account.today()
    if span is None:
        return await _RECEIVABLE.one(ctx.db, currency=ctx.account.currency, today=today)
    [row] = await _asked(ctx, _RECEIVABLE_OF, span, today=today)
    return row


async def due_in(ctx: Context, last: date) -> Decimal:
    """What clients owe that is due by then, the overdue included."""
    row = await _DUE_IN.one(ctx.db, currency=ctx.account.currency, last=last)
    return Decimal(row.amount)


async def due_out(ctx: Context, last: date) -> Decimal:
    """What is owed to vendors and due by then, the overdue included."""
    row = await _DUE_OUT.one(ctx.db, currency=ctx.account.currency, last=last)
    return Decimal(row.amount)


def whole(amounts: Sequence[Decimal]) -> Decimal:
    return sum(amounts, _NOTHING)


async def _asked(ctx: Context, statement: Prepared[Any], span: DateRange, **more: object) -> list[Any]:
    return await statement.rows(ctx.db, first=span.first, last=span.last, currency=ctx.account.currency, **more)


def _by_month(rows: Sequence[Any]) -> dict[str, Decimal]:
    return {month(row.month): row.amount for row in rows}


def _sum(amount: ColumnElement[Decimal]) -> ColumnElement[Decimal]:
    return func.coalesce(func.sum(amount), ZERO)


def _month(day: ColumnElement[date]) -> ColumnElement[date]:
    return func.date_trunc(literal_column("'month'"), day).cast(Date).label("month")


def _monthly(rows: FromClause) -> Prepared[Any]:
    begin = _month(rows.c.day)
    return Prepared(select(begin, _sum(rows.c.amount).label("amount")).group_by(begin))


def _income() -> Prepared[Any]:
    rows = sales.booked().subquery("document")
    begin = _month(rows.c.day)
    return Prepared(select(begin, _sum(rows.c.subtotal).label("invoiced"), _invoices(rows)).group_by(begin))


def _invoices(rows: FromClause) -> ColumnElement[int]:
    return func.count().filter(rows.c.doc_type != constant("credit_note")).label("invoices")


def _by_client() -> Prepared[Any]:
    rows = sales.booked().subquery("document")
    name = case((rows.c.client_id.is_(None), null()), else_=func.max(rows.c.client_name)).label("name")
    invoiced = _sum(rows.c.subtotal).label("invoiced")
    shares = select(rows.c.client_id, name, invoiced, _invoices(rows)).group_by(rows.c.client_id)
    return Prepared(shares.order_by(invoiced.desc(), rows.c.client_id).limit(bindparam("most")))


def _costs() -> Prepared[Any]:
    rows = purchases.costs()
    begin = _month(rows.c.day)
    grouped = select(begin, rows.c.category, _sum(rows.c.amount).label("amount")).group_by(begin, rows.c.category)
    return Prepared(grouped)


def _rated(rows: FromClause) -> Prepared[Any]:
    sums = [_sum(rows.c[name]).label(name) for name in ("base", "tax", "surcharge") if name in rows.c]
    kept = [rows.c[name] for name in ("taxed", "rate") if name in rows.c]
    return Prepared(select(*kept, *sums).group_by(*kept))


def _retentions() -> Prepared[Any]:
    sold, bought = sales.booked().subquery("document"), purchases.withheld()
    suffered = select(_sum(sold.c.retention_amount)).scalar_subquery()
    withheld = select(_sum(bought.c.amount)).scalar_subquery()
    return Prepared(select(suffered.label("suffered"), withheld.label("withheld")))


def _receivable(*, within: bool) -> Prepared[Any]:
    rows = sales.unpaid()
    if within:
        rows = rows.where(sales.in_span())
    owed = rows.subquery("owed")
    late = owed.c.due_date < bindparam("today", type_=Date)
    return Prepared(
        select(
            func.count().label("count"),
            _sum(owed.c.amount).label("amount"),
            func.count().filter(late).label("overdue_count"),
            func.coalesce(func.sum(owed.c.amount).filter(late), ZERO).label("overdue"),
            func.min(owed.c.due_date).label("oldest"),
        )
    )


def _due(rows: FromClause) -> Prepared[Any]:
    return Prepared(select(_sum(rows.c.amount).label("amount")).where(rows.c.due_date <= sales.LAST))


_INCOME, _BY_CLIENT, _COSTS = _income(), _by_client(), _costs()
_RECEIVED = _monthly(sales.received().subquery("payment"))
_SPENT = _monthly(purchases.paid())
_SALES_TAXES = _rated(sales.taxes().subquery("tax_row"))
_ASSESSED, _DEDUCTED = _rated(purchases.assessed()), _rated(purchases.deducted())
_RETENTIONS = _retentions()
_RECEIVABLE, _RECEIVABLE_OF = _receivable(within=False), _receivable(within=True)
_DUE_IN, _DUE_OUT = _due(sales.unpaid().subquery("owed")), _due(purchases.unpaid())
