"""Expenses for other domains: examples for learning categories, and expenses that a receipt may repeat."""

import datetime as dt
from datetime import date
from decimal import Decimal
from uuid import UUID

from sqlalchemy import Date, Numeric, Text, Uuid, bindparam, exists, or_, select

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records import search
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.expenses import output
from ledgerkit.core.purchases.expenses.input import MAX_KEY
from ledgerkit.core.purchases.expenses.table import expense

MAX_CATEGORISED = 1_000
MAX_REPEATED = 5


class CategorisedRow(Row):
    description: str
    vendor: str | None
    category: str


class RepeatedRow(Row):
    id: UUID


async def categorised(ctx: Context) -> list[CategorisedRow]:
    """Return description, vendor and category of the newest expenses, at most a thousand."""
    return await _CATEGORISED.rows(ctx.db)


async def repeated(ctx: Context, *, vendor: str | None, tax_id: str | None, day: date, amount: Decimal) -> list[UUID]:
    """Return the expenses of this day and amount from a vendor of this name or tax id, the newest first."""
    vendor_key = search.fold(vendor)[:MAX_KEY]
    if not vendor_key and not tax_id:
        return []
    rows = await _REPEATED.rows(ctx.db, vendor_key=vendor_key, tax_id=tax_id or "", day=day, amount=amount)
    return [row.id for row in rows]


_CATEGORISED = Prepared(
    select(expense.c.description, expense.c.vendor, expense.c.category)
    .where(expense.c.deleted_at.is_(None))
    .order_by(*output.NEWEST_FIRST)
    .limit(MAX_CATEGORISED),
    CategorisedRow,
)
_REPEATED = Prepared(
    select(expense.c.id)
    .where(
        expense.c.deleted_at.is_(None),
        expense.c.date == bindparam("day", type_=Date),
        expense.c.amount == bindparam("amount", type_=Numeric),
        or_(
            expense.c.vendor_key == bindparam("vendor_key", type_=Text),
            expense.c.vendor_tax_id == bindparam("tax_id", type_=Text),
        ),
    )
    .order_by(*output.NEWEST_FIRST)
    .limit(MAX_REPEATED),
    RepeatedRow,
)


class _DaysRow(Row):
    date: dt.date
    reception_date: dt.date
    deduction_date: dt.date
    paid_at: dt.date | None


async def days_of(ctx: Context, expense_id: UUID) -> list[dt.date]:
    """Return the days on which an expense counts, deleted or not."""
    row = await _DAYS_OF.row(ctx.db, expense_id=expense_id)
    if row is None:
        return []
    return [day for day in (row.date, row.reception_date, row.deduction_date, row.paid_at) if day is not None]


async def correct(ctx: Context, bill_id: UUID) -> bool:
    """Return True where an expense that is not deleted is a credit note for a supplier invoice."""
    return (await _CORRECTING.one(ctx.db, bill_id=bill_id)).is_corrected


class _CorrectedRow(Row):
    is_corrected: bool


_DAYS_OF = Prepared(
    select(expense.c.date, expense.c.reception_date, expense.c.deduction_date, expense.c.paid_at).where(
        expense.c.id == bindparam("expense_id", type_=Uuid)
    ),
    _DaysRow,
)
_CORRECTING = Prepared(
    select(
        exists()
        .where(expense.c.rectifies == bindparam("bill_id", type_=Uuid), expense.c.deleted_at.is_(None))
        .label("is_corrected")
    ),
    _CorrectedRow,
)
