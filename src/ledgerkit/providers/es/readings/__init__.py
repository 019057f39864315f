"""Reading of Spanish receipts and invoices: rows, amounts, dates, identifiers, taxes, totals, and the check of them."""

from ledgerkit.providers.es.readings.reader import SpanishReader

__all__ = ["SpanishReader"]
