"""Outline of an account's books: what its documents of a span are about, by month, for a calendar of declarations."""

from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, Date, Select, Table, Text, bindparam, cast, func, or_, select, union, union_all

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.expenses.table import expense
from ledgerkit.core.purchases.supplier_invoices.table import NOT_CANCELLED, supplier_invoice
from ledgerkit.core.reports.ledger.selection import retention_kind
from ledgerkit.core.reports.sources import purchases, sales
from ledgerkit.core.reports.sources.sales import FIRST, LAST
from ledgerkit.core.sales.invoices.table import invoice
from ledgerkit.providers.api import BooksOutline, DateSpan, WithheldPurchases


class SoldRow(Row):
    month: date
    country: str


class BoughtRow(Row):
    """Month of purchases that bear a retention, or were acquired in the EU."""

    month: date
    withheld: bool
    retention_kind: str | None
    category: str
    intra_eu: bool


class FirstDayRow(Row):
    """Day of the first document; None without any."""

    day: date | None


async def first_day(ctx: Context) -> date | None:
    """Return the day of the account's first document that counts, sold or bought; None without any."""
    row = await _FIRST_DAY.row(ctx.db)
    return None if row is None else row.day


async def outline(ctx: Context, span: DateSpan) -> BooksOutline:
    """Return what the documents dated in a span are about: sales abroad, acquisitions in the EU, and retentions."""
    sold = await _SOLD.rows(ctx.db, first=span.first, last=span.last, home=ctx.account.country)
    bought = await _BOUGHT.rows(ctx.db, first=span.first, last=span.last)
    return BooksOutline(
        today=ctx.account.today(),
        withheld=frozenset(
            WithheldPurchases(month=row.month, kind=retention_kind(row.retention_kind), category=row.category)
            for row in bought
            if row.withheld
        ),
        sold_abroad=frozenset((row.month, row.country) for row in sold),
        acquired_in_eu=frozenset(row.month for row in bought if row.intra_eu),
    )


def _month(day: ColumnElement[date]) -> ColumnElement[date]:
    return cast(func.date_trunc(constant("month"), day), Date).label("month")


def _sold() -> Select[Any]:
    country = invoice.c.client["country"].astext
    abroad = country != bindparam("home", type_=Text)
    months = select(_month(invoice.c.booked_on), country.label("country")).distinct()
    return months.where(sales.countable(), invoice.c.booked_on.between(FIRST, LAST), abroad)


def _bought(day: ColumnElement[date], table: Table, category: ColumnElement[str]) -> Select[Any]:
    of = table.c
    withheld = or_(of.retention_kind.is_not(None), of.retention_amount != 0)
    intra_eu = of.intra_eu != constant("none")
    columns = (withheld.label("withheld"), of.retention_kind, category.label("category"), intra_eu.label("intra_eu"))
    return select(_month(day), *columns).where(day.between(FIRST, LAST), or_(withheld, intra_eu))


_SOLD = Prepared(_sold(), SoldRow)
_EXPENSES = _bought(expense.c.date, expense, expense.c.category).where(expense.c.deleted_at.is_(None))
_BILLS = _bought(supplier_invoice.c.invoice_date, supplier_invoice, purchases.supplier_category()).where(NOT_CANCELLED)
_BOUGHT = Prepared(select(union(_EXPENSES, _BILLS).subquery("bought")), BoughtRow)
_DAYS = union_all(
    select(func.min(invoice.c.booked_on).label("day")).where(sales.countable()),
    select(func.min(expense.c.date)).where(expense.c.deleted_at.is_(None)),
    select(func.min(supplier_invoice.c.invoice_date)).where(NOT_CANCELLED),
).subquery("days")
_FIRST_DAY = Prepared(select(func.min(_DAYS.c.day).label("day")), FirstDayRow)
