"""Ledger of an account for tax forms and record books, read from its invoices, expenses and supplier invoices.

It counts what reports count (`core.reports.sales` and `core.reports.purchases`), with the details of every document.
"""

from ledgerkit.core.reports.ledger.outline import outline
from ledgerkit.core.reports.ledger.reading import read

__all__ = ["outline", "read"]
