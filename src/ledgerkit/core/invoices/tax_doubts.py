"""Doubts of the account's country about the taxes of a draft, for its caller."""

from ledgerkit.core.invoices.content import InvoiceContent
from ledgerkit.core.invoices.document import recipient
from ledgerkit.core.request.context import Context


def warnings(ctx: Context, content: InvoiceContent) -> list[str]:
    """Return the doubts in the language of the request, each beginning with its stable code."""
    country = ctx.kernel.countries.countries.get(ctx.account.country)
    if country is None:
        return []
    taxes = [tax_row.tax_line() for tax_row in content.tax_breakdown]
    doubts = country.tax_doubts(recipient(content.client), taxes)
    return [one.text.in_language(ctx.request_metadata.language) for one in doubts]
