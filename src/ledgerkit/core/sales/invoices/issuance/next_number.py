"""Another number for an issued invoice, because somebody else's document has its number at the authority."""

from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.records import counters, search
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.dates.terms import dates_of, issue_day
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.table import CHANGES, InvoiceRow, invoice


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
