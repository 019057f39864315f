"""Ledger of an account for tax forms and record books, read from its invoices, expenses and supplier invoices.

It counts what reports count (`core.reports.sources.sales` and `core.reports.sources.purchases`), with the details of
every document.
"""

from ledgerkit.core.reports.ledger.outline import first_day, outline
from ledgerkit.core.reports.ledger.snapshot import read

__all__ = ["first_day", "outline", "read"]
