"""Warnings about the dates of a draft that is issued, or has just been issued."""

from datetime import date
from zoneinfo import ZoneInfo

from ledgerkit.core.platform.documents.filed_declarations import filed_on
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.dates.issue_and_due import dates_of
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.providers.api import DocumentKind
from ledgerkit.texts import text


async def of_invoice(ctx: Context, row: InvoiceRow) -> list[str]:
    """Return the warnings about a draft that would be issued now, or about an issued document as of its issue.

    One warning is about a stated date before the day of issue, which is kept. The other is about a document that counts
    in a period whose declaration has been submitted without it.
    """
    zone = ZoneInfo(ctx.account.time_zone)
    issued_on = ctx.account.today() if row.issued_at is None else row.issued_at.astimezone(zone).date()
    issue_date = dates_of(row, issued_on).issue_date
    counts_on = issue_date if row.doc_type == DocumentKind.CREDIT_NOTE else row.operation_date or issue_date
    return await of_days(ctx, issue_date, counts_on, issued_on)


async def of_days(ctx: Context, issue_date: date, counts_on: date, issued_on: date) -> list[str]:
    """Return the warnings about a document with these days. `counts_on`: day on which it counts for VAT."""
    warnings = []
    if issue_date < issued_on:
        warnings.append(text(InvoicesMsg.ISSUE_DATE_KEPT, on=issue_date))
    zone = ZoneInfo(ctx.account.time_zone)
    warnings += [
        text(
            InvoicesMsg.FILED_PERIOD,
            on=counts_on,
            declaration=filed.label,
            submitted=filed.submitted_at.astimezone(zone).date(),
        )
        for filed in await filed_on(ctx, counts_on)
    ]
    return [warning.in_language(ctx.request_metadata.language) for warning in warnings]
