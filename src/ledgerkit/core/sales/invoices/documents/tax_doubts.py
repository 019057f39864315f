"""Doubts of the account's country about the form and taxes of a draft, for its caller."""

from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent
from ledgerkit.core.sales.invoices.documents.frozen import issuer_copy, issuer_party, recipient
from ledgerkit.providers.api import DocumentKind, DraftFacts


def warnings(ctx: Context, content: InvoiceContent) -> list[str]:
    """Return the doubts in the language of the request, each beginning with its stable code."""
    country = ctx.kernel.countries.countries.get(ctx.account.country)
    if country is None:
        return []
    doubts = country.tax_doubts(_facts(ctx, content))
    return [doubt.text.in_language(ctx.request_metadata.language) for doubt in doubts]


def _facts(ctx: Context, content: InvoiceContent) -> DraftFacts:
    converted = content.converted
    amounts = content if converted is None else converted
    return DraftFacts(
        kind=DocumentKind(content.doc_type),
        issuer=issuer_party(issuer_copy(ctx.account)),
        recipient=recipient(content.client),
        taxes=[tax_row.tax_line() for tax_row in amounts.tax_breakdown],
        currency=content.currency if converted is None else ctx.account.currency,
        gross_total=amounts.subtotal + amounts.tax_amount + amounts.surcharge_amount,
        retention=amounts.retention_amount,
        details=content.fiscal_details or {},
        higher_simplified_limit=ctx.account.higher_simplified_limit,
    )
