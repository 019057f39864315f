"""Warnings about a numbered document without a fiscal record, in the language of the request."""

from zoneinfo import ZoneInfo

from ledgerkit.core.platform.documents import regimes
from ledgerkit.core.platform.documents.einvoicing_state import Off
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.documents import issuers
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.texts import Text, text


def warnings(ctx: Context, row: InvoiceRow) -> list[str]:
    """Return why the document is not an invoice, or what its issuer must do elsewhere under the regime of that day."""
    return [warning.in_language(ctx.request_metadata.language) for warning in _warnings(ctx, row)]


def _warnings(ctx: Context, row: InvoiceRow) -> list[Text]:
    if issuers.is_incomplete(row):
        return [text(InvoicesMsg.NO_INVOICE)]
    if row.unrecorded != Off.REGIME or row.issued_at is None:
        return []
    day = row.issued_at.astimezone(ZoneInfo(ctx.account.time_zone)).date()
    duty = regimes.duty(ctx.kernel, ctx.account, day)
    return [] if duty is None else [duty]
