"""Record books: registers of an account's documents in the columns and codes that the authority prescribes.

Rows are pure functions of the ledger: what a form declares and what its books list come from the same documents.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum

from ledgerkit.providers.api.documents import Party
from ledgerkit.providers.api.ledger import Ledger
from ledgerkit.providers.api.tax_forms import TaxProfile
from ledgerkit.texts import Text

Cell = str | int | Decimal | date | None
"""Value of a row in one column, of the column's kind; None leaves it empty."""


class ColumnKind(StrEnum):
    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"


@dataclass(frozen=True, kw_only=True)
class BookColumn:
    """Column of a book: its official heading, of two lines where it shares the first one with its neighbours.

    `width` is in characters; for numbers in digits, of which `decimals` follow the point.
    """

    heading: tuple[str] | tuple[str, str]
    kind: ColumnKind = ColumnKind.TEXT
    width: int
    decimals: int = 0


@dataclass(frozen=True, kw_only=True)
class TextFile:
    """Form of a book as a text file that the authority imports; `date` as `strftime` takes it."""

    encoding: str = "utf-8"
    separator: str = ";"
    decimal_mark: str = ","
    date: str = "%Y-%m-%d"


class RecordBook(ABC):
    """Record book. `key` is `issued`, `received`, `investment` or another; `sheet` is its name in a workbook."""

    key: str
    name: Text
    sheet: str
    text_file: TextFile = TextFile()

    @abstractmethod
    def columns(self, year: int) -> Sequence[BookColumn]:
        """Return the official columns of the books of a year."""

    @abstractmethod
    def rows(self, ledger: Ledger, profile: TaxProfile) -> Iterator[tuple[Cell, ...]]:
        """Yield the rows of the ledger's span, in the columns of the year in which it ends."""

    @abstractmethod
    def file_name(self, owner: Party, year: int) -> str:
        """Return the official name, without an extension, of a file with this book or with all of its workbook."""
