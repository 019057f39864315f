"""Facts of a draft, as a country's doubts see them."""

from decimal import Decimal

from ledgerkit.providers.api import DocumentKind, DraftFacts, Party

ISSUER = Party(name="Ana Ruiz", tax_id="12345678Z", country="ES", address="Calle Mayor 1")


def facts(recipient, taxes=(), **fields):
    """Facts of an invoice in euro with these tax lines, changed so."""
    gross = sum((line.base + line.amount for line in taxes), Decimal(0))
    usual = {"kind": DocumentKind.INVOICE, "issuer": ISSUER, "currency": "EUR", "retention": Decimal(0)}
    return DraftFacts(recipient=recipient, taxes=taxes, **{**usual, "gross_total": gross, **fields})
