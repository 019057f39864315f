"""Sums of documents for reports: one statement for each question, which reads only the documents of the period."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, Date, FromClause, bindparam, case, func, literal_column, null, select

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.reports.input import DateRange, month
from ledgerkit.core.reports.sources import purchases, sales
from ledgerkit.money import ZERO

_NOTHING = Decimal("0.00")

RowT = TypeVar("RowT", bound=Row)


class IncomeRow(Row):
    """Net income of a month; `invoices` counts the documents without credit notes."""

    month: date
    invoiced: Decimal
    invoices: int


class ClientIncomeRow(Row):
    """Net income from a client, or from all documents without a stored client together."""

    client_id: UUID | None
    name: str | None
    invoiced: Decimal
    invoices: int


class CostRow(Row):
    month: date
    category: str
    amount: Decimal


class MonthAmountRow(Row):
    month: date
    amount: Decimal


class TaxedRateRow(Row):
    rate: Decimal
    base: Decimal
    tax: Decimal


class SalesTaxRow(TaxedRateRow):
    """Tax on sales at one rate; `taxed` is false where no VAT is due in the account's country."""

    taxed: bool
    surcharge: Decimal


class RetentionRow(Row):
    """Income tax withheld by clients (`suffered`), and withheld from vendors."""

    suffered: Decimal
    withheld: Decimal


class ReceivableRow(Row):
    """Amounts that clients owe; `oldest` is the earliest due date."""

    count: int
    amount: Decimal
    overdue_count: int
    overdue: Decimal
    oldest: date | None


class AmountRow(Row):
    amount: Decimal


async def income(ctx: Context, span: DateRange) -> list[IncomeRow]:
    """Return the income by month."""
    return await _rows(ctx, _INCOME, span)


async def by_client(ctx: Context, span: DateRange, most: int | None = None) -> list[ClientIncomeRow]:
    """Return the income by client, the largest first; `most` limits the number of rows."""
    return await _rows(ctx, _BY_CLIENT, span, most=most)


async def costs(ctx: Context, span: DateRange) -> list[CostRow]:
    """Return the costs by month and category."""
    return await _rows(ctx, _COSTS, span)


async def collected(ctx: Context, span: DateRange) -> Mapping[str, Decimal]:
    """Return the cash that came in, by month."""
    return _by_month(await _rows(ctx, _RECEIVED, span))


async def spent(ctx: Context, span: DateRange) -> Mapping[str, Decimal]:
    """Return the cash that went out, by month."""
    return _by_month(await _rows(ctx, _SPENT, span))


async def sales_taxes(ctx: Context, span: DateRange) -> list[SalesTaxRow]:
    """Return the tax on sales by rate."""
    return await _rows(ctx, _SALES_TAXES, span)


async def assessed_taxes(ctx: Context, span: DateRange) -> list[TaxedRateRow]:
    """Return the tax that the account owes as a buyer, by rate."""
    return await _rows(ctx, _ASSESSED, span)


async def deducted_taxes(ctx: Context, span: DateRange) -> list[TaxedRateRow]:
    """Return the tax that the account deducts, by rate."""
    return await _rows(ctx, _DEDUCTED, span)


async def retentions(ctx: Context, span: DateRange) -> RetentionRow:
    """Return the income tax withheld by clients and from vendors."""
    [row] = await _rows(ctx, _RETENTIONS, span)
    return row


async def receivable(ctx: Context, span: DateRange | None = None) -> ReceivableRow:
    """Return what clients owe today, on documents of the span or on all."""
    today = ctx.account.today()
    if span is None:
        return await _RECEIVABLE.one(ctx.db, currency=ctx.account.currency, today=today)
    [row] = await _rows(ctx, _RECEIVABLE_OF, span, today=today)
    return row


async def due_in(ctx: Context, last: date) -> Decimal:
    """Return what clients owe and is due by `last`, the overdue included."""
    return (await _DUE_IN.one(ctx.db, currency=ctx.account.currency, last=last)).amount


async def due_out(ctx: Context, last: date) -> Decimal:
    """Return what is owed to vendors and due by `last`, the overdue included."""
    return (await _DUE_OUT.one(ctx.db, currency=ctx.account.currency, last=last)).amount


def whole(amounts: Sequence[Decimal]) -> Decimal:
    """Return the sum with two decimals, also of nothing."""
    return sum(amounts, _NOTHING)


async def _rows(ctx: Context, statement: Prepared[RowT], span: DateRange, **more: object) -> list[RowT]:
    return await statement.rows(ctx.db, first=span.first, last=span.last, currency=ctx.account.currency, **more)


def _by_month(rows: Sequence[MonthAmountRow]) -> dict[str, Decimal]:
    return {month(row.month): row.amount for row in rows}


def _sum(amount: ColumnElement[Decimal]) -> ColumnElement[Decimal]:
    return func.coalesce(func.sum(amount), ZERO)


def _month(day: ColumnElement[date]) -> ColumnElement[date]:
    return func.date_trunc(literal_column("'month'"), day).cast(Date).label("month")


def _monthly(rows: FromClause) -> Prepared[MonthAmountRow]:
    begin = _month(rows.c.day)
    return Prepared(select(begin, _sum(rows.c.amount).label("amount")).group_by(begin), MonthAmountRow)


def _income() -> Prepared[IncomeRow]:
    rows = sales.booked().subquery("document")
    begin = _month(rows.c.day)
    return Prepared(select(begin, _sum(rows.c.subtotal).label("invoiced"), _invoices(rows)).group_by(begin), IncomeRow)


def _invoices(rows: FromClause) -> ColumnElement[int]:
    return func.count().filter(rows.c.doc_type != constant("credit_note")).label("invoices")


def _by_client() -> Prepared[ClientIncomeRow]:
    rows = sales.booked().subquery("document")
    name = case((rows.c.client_id.is_(None), null()), else_=func.max(rows.c.client_name)).label("name")
    invoiced = _sum(rows.c.subtotal).label("invoiced")
    shares = select(rows.c.client_id, name, invoiced, _invoices(rows)).group_by(rows.c.client_id)
    return Prepared(shares.order_by(invoiced.desc(), rows.c.client_id).limit(bindparam("most")), ClientIncomeRow)


def _costs() -> Prepared[CostRow]:
    rows = purchases.together("costs")
    begin = _month(rows.c.day)
    grouped = select(begin, rows.c.category, _sum(rows.c.amount).label("amount")).group_by(begin, rows.c.category)
    return Prepared(grouped, CostRow)


def _rated(rows: FromClause, row: type[RowT]) -> Prepared[RowT]:
    sums = [_sum(rows.c[name]).label(name) for name in ("base", "tax", "surcharge") if name in rows.c]
    keys = [rows.c[name] for name in ("taxed", "rate") if name in rows.c]
    return Prepared(select(*keys, *sums).group_by(*keys), row)


def _retentions() -> Prepared[RetentionRow]:
    sold, bought = sales.booked().subquery("document"), purchases.together("withheld")
    suffered = select(_sum(sold.c.retention_amount)).scalar_subquery()
    withheld = select(_sum(bought.c.amount)).scalar_subquery()
    return Prepared(select(suffered.label("suffered"), withheld.label("withheld")), RetentionRow)


def _receivable(*, within: bool) -> Prepared[ReceivableRow]:
    rows = sales.unpaid()
    if within:
        rows = rows.where(sales.in_span())
    owed = rows.subquery("owed")
    is_overdue = owed.c.due_date < bindparam("today", type_=Date)
    return Prepared(
        select(
            func.count().label("count"),
            _sum(owed.c.amount).label("amount"),
            func.count().filter(is_overdue).label("overdue_count"),
            func.coalesce(func.sum(owed.c.amount).filter(is_overdue), ZERO).label("overdue"),
            func.min(owed.c.due_date).label("oldest"),
        ),
        ReceivableRow,
    )


def _due(rows: FromClause) -> Prepared[AmountRow]:
    return Prepared(select(_sum(rows.c.amount).label("amount")).where(rows.c.due_date <= sales.LAST), AmountRow)


_INCOME, _BY_CLIENT, _COSTS = _income(), _by_client(), _costs()
_RECEIVED = _monthly(sales.received().subquery("payment"))
_SPENT = _monthly(purchases.together("paid"))
_SALES_TAXES = _rated(sales.taxes().subquery("tax_row"), SalesTaxRow)
_ASSESSED = _rated(purchases.together("assessed"), TaxedRateRow)
_DEDUCTED = _rated(purchases.together("deducted"), TaxedRateRow)
_RETENTIONS = _retentions()
_RECEIVABLE, _RECEIVABLE_OF = _receivable(within=False), _receivable(within=True)
_DUE_IN, _DUE_OUT = _due(sales.unpaid().subquery("owed")), _due(purchases.together("unpaid"))
