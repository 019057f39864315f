"""Warnings about a numbered document without a fiscal record, in the language of the request."""

from ledgerkit.core.invoices import issuers
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.models import InvoiceRow
from ledgerkit.core.request.context import Context
from ledgerkit.texts import Text, text


def warnings(ctx: Context, row: InvoiceRow) -> list[str]:
    """Return why the document is no invoice."""
    return [one.in_language(ctx.request_metadata.language) for one in _warnings(row)]


def _warnings(row: InvoiceRow) -> list[Text]:
    return [text(InvoicesMsg.NO_INVOICE)] if issuers.is_incomplete(row) else []
