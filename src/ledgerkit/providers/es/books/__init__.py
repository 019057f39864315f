"""Spain's unified record books of VAT and income tax, in the common electronic format of the tax agency (AEAT).

Sources: Orden HAC/773/2019, arts. 2 to 6 (books of income tax); RD 1624/1992, arts. 62 to 65 (books of VAT); AEAT,
common electronic format of the record books, version of 21/03/2025, unified type T.
"""

from ledgerkit.providers.es.books.investment import InvestmentBook
from ledgerkit.providers.es.books.issued import IssuedBook
from ledgerkit.providers.es.books.received import ReceivedBook

BOOKS = (IssuedBook(), ReceivedBook(), InvestmentBook())

__all__ = ["BOOKS"]
