"""Order of a series: dates rise with the numbers, and no correction precedes its original.

An issued invoice may get another date within that order, or the next number where somebody else's document has its
number at the authority.
"""

from datetime import date
from uuid import UUID

from sqlalchemy import Integer, Text, Uuid, bindparam, func, select, update

from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records import counters, search
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.dates.issue_and_due import dates_of, issue_day
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.table import CHANGES, InvoiceRow, invoice, invoice_counter
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Code, Invalid


async def check(ctx: Context, row: InvoiceRow, new_date: date) -> None:
    """Raise Invalid unless an issued document's new date is between its neighbours', in its year, and not ahead.

    Nor may an invoice be dated after one of its credit notes.
    """
    assert row.ordinal is not None  # noqa: S101 - an issued document has one
    counter_row = await lifecycle.LOCK_COUNTER.row(ctx.db, series=row.series, year=row.year)
    around = await _NEIGHBOURS.one(ctx.db, series=row.series, year=row.year, ordinal=row.ordinal)
    earliest, latest = around.earliest or new_date, around.latest or new_date
    if new_date.year != row.year or not earliest <= new_date <= latest:
        raise Invalid.field("issueDate", InvoicesMsg.ISSUE_DATE_BREAKS_ORDER, code=Code.ISSUE_DATE_BEFORE_LAST)
    lifecycle.check_not_ahead(ctx, new_date)
    await _check_corrections(ctx, row.id, new_date)
    if counter_row is not None and counter_row.next == row.ordinal + 1:
        counter = invoice_counter.c
        of_series = (counter.series == row.series) & (counter.year == row.year)
        await ctx.db.execute(update(invoice_counter).where(of_series).values(last_date=new_date))


async def _check_corrections(ctx: Context, invoice_id: UUID, new_date: date) -> None:
    first = await _FIRST_CORRECTION.row(ctx.db, corrected=invoice_id)
    if first is not None and new_date > first.issue_date:
        raise Invalid.field("issueDate", InvoicesMsg.ISSUE_DATE_AFTER_NOTE, number=first.number, on=first.issue_date)


async def redate(ctx: Context, row: InvoiceRow) -> InvoiceRow:
    """Return the locked invoice with a date on which its series can continue: its own date, or else today.

    The earlier date of issue then becomes its date of operation, so that it stays in the books of that day. Source: RD
    1619/2012 art. 6.1.a and i (correlative numbers; the day of operation where it is another one).
    """
    issued_on = issue_day(row)
    last = await lifecycle.last_date(ctx, row.series, issued_on.year)
    if last is None or last <= issued_on:
        return row
    today = ctx.account.today()
    dates = Values(
        InvoiceRow,
        issue_date=today,
        operation_date=row.operation_date or issued_on,
        due_date=max(dates_of(row, today).due_date, today),
    )
    return await records.change(ctx, invoice, row.id, dates)


async def take_next_number(ctx: Context, row: InvoiceRow) -> InvoiceRow:
    """Return the locked invoice with the next number of its series and year. The number is locked last.

    Raises Invalid ISSUE_DATE_BEFORE_LAST when another document has just been issued with a later date.
    """
    assert row.number is not None  # noqa: S101 - an issued document has one
    number = await lifecycle.take_number(ctx, row.series, issue_day(row))
    words = row.search_text.removeprefix(search.fold(row.number) + " ")
    renumbered = Values(
        InvoiceRow,
        number=number.text,
        year=number.year,
        ordinal=number.ordinal,
        search_text=f"{search.fold(number.text)} {words}",
    )
    row = await records.change(ctx, invoice, row.id, renumbered)
    await counters.add(ctx.db, {CHANGES: 1})
    return row


class CorrectionDayRow(Row):
    number: str
    issue_date: date


class NeighboursRow(Row):
    earliest: date | None
    latest: date | None


_BEFORE = invoice.c.ordinal < bindparam("ordinal", type_=Integer)
_AFTER = invoice.c.ordinal > bindparam("ordinal", type_=Integer)
_NEIGHBOURS = Prepared(  # burnt and lost numbers have no invoice: the nearest that has one counts
    select(
        func.max(invoice.c.issue_date).filter(_BEFORE).label("earliest"),
        func.min(invoice.c.issue_date).filter(_AFTER).label("latest"),
    ).where(invoice.c.series == bindparam("series", type_=Text), invoice.c.year == bindparam("year", type_=Integer)),
    NeighboursRow,
)
_FIRST_CORRECTION = Prepared(
    select(invoice.c.number, invoice.c.issue_date)
    .where(invoice.c.rectifies == bindparam("corrected", type_=Uuid), invoice.c.number.is_not(None))
    .order_by(invoice.c.issue_date, invoice.c.id)
    .limit(1),
    CorrectionDayRow,
)
