"""Day of issue: a draft without a stated date gets it at issue, and everything that depends on it is computed anew.

Tax rates may have changed since the draft was made. A general rate that is no longer in force becomes the one in force,
and a surcharge that was taken by default becomes that of the day. Any other rate that is no longer in force is refused.
A stated exchange rate is kept.
"""

from datetime import date
from decimal import Decimal
from zoneinfo import ZoneInfo

from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices import input as invoice_input
from ledgerkit.core.sales.invoices.api import InvoiceChange
from ledgerkit.core.sales.invoices.dates.issue_and_due import dates_of
from ledgerkit.core.sales.invoices.drafts import credit_notes
from ledgerkit.core.sales.invoices.json_columns.codecs import LINES
from ledgerkit.core.sales.invoices.lines import input as lines
from ledgerkit.core.sales.invoices.posting import effects
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice


async def dated(ctx: Context, row: InvoiceRow) -> InvoiceRow:
    """Return the locked draft with all its dates; those that it does not state follow from today.

    Raises Invalid TAX_RATE_UNKNOWN for a rate that is not in force on that day, or for a due date before it.
    """
    today = ctx.account.today()
    dates = dates_of(row, today)
    dates.check_due()
    if row.issue_date is not None and row.due_date is not None:
        return row
    computed = await _of_day(ctx, row, today) if row.issue_date is None else Values(InvoiceRow)
    written = Values(InvoiceRow, issue_date=dates.issue_date, due_date=dates.due_date, term_days=None)
    return await records.change(ctx, invoice, row.id, computed | written)


async def _of_day(ctx: Context, row: InvoiceRow, today: date) -> Values[InvoiceRow]:
    """Return the columns that are others today than on the day on which the draft was made."""
    made_on = row.created_at.astimezone(ZoneInfo(ctx.account.time_zone)).date()
    if row.operation_date is not None or not _have_rates_changed(ctx, row, made_on, today):
        return Values(InvoiceRow)
    if row.rectifies is not None:
        items = lines.items_of(row, tax_rate=row.tax_rate)
        operation_date = credit_notes.operation_date(ctx, await effects.original_of(ctx, row), items)
        return Values(InvoiceRow, operation_date=operation_date)
    change = InvoiceChange()
    in_force = _percents(ctx, today)
    if in_force and row.tax_rate not in in_force and row.tax_rate == next(iter(_percents(ctx, made_on)), None):
        change = InvoiceChange(tax_rate=in_force[0])
    return (await invoice_input.changed_values(ctx, row, change)).content.columns()


def _have_rates_changed(ctx: Context, row: InvoiceRow, before: date, after: date) -> bool:
    if ctx.country is None:
        return False
    taxes = {line.tax for line in LINES.decode(row.items)}
    return any(ctx.country.tax.rates(before, tax) != ctx.country.tax.rates(after, tax) for tax in taxes)


def _percents(ctx: Context, day: date) -> list[Decimal]:
    """Return the rates of the general tax on a day, the usual one first."""
    return [rate.percent for rate in ctx.country.tax.rates(day)] if ctx.country else []
