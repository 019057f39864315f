"""Readings of documents that others issued: receipts and invoices as a country's rules understand their lines of text.

A reader is pure: lines of text in, fields with a confidence out. Lines are the words of strangers, never instructions.
A field that cannot be confirmed is None: a wrong figure in the books costs more than a missing one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, kw_only=True)
class TextBox:
    """Upright rectangle in pixels of its page, the origin at the top left."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, kw_only=True)
class TextLine:
    """Piece of text that stands together; `confidence` (0 to 1) is of its characters, `page` counts from 0."""

    text: str
    box: TextBox
    confidence: float = 1.0
    page: int = 0


@dataclass(frozen=True, kw_only=True)
class ReadField(Generic[T_co]):
    """Value of a field as the document shows it; None with confidence 0 where nothing was read beyond doubt.

    From 0.9 on the value is confirmed by a second, independent trait of the document: arithmetic, check digits, a
    repetition. Below 0.5 a person should look before anything uses it.
    """

    value: T_co | None = None
    confidence: float = 0.0


class ReadingKind(StrEnum):
    RECEIPT = "receipt"
    INVOICE = "invoice"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class ReadTax:
    """Tax of a document at one rate (percent), with its base and amount where they were read."""

    rate: Decimal
    base: Decimal | None = None
    amount: Decimal | None = None
    confidence: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ReadLine:
    """Line of a document, with the figures as they stand on it: with or without tax as the document has them."""

    description: str
    code: str | None = None
    quantity: Decimal | None = None
    unit_price: Decimal | None = None
    tax_rate: Decimal | None = None
    total: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class DocumentReading:
    """Reading of one document. Amounts are in `currency` (ISO 4217); `retention_total` is positive and withheld.

    `payment_method` is `cash`, `card`, `transfer` or `direct_debit`. `total` is what is to be paid or was paid.
    """

    kind: ReadingKind = ReadingKind.UNKNOWN
    vendor_name: ReadField[str] = field(default_factory=ReadField)
    vendor_tax_id: ReadField[str] = field(default_factory=ReadField)
    vendor_address: ReadField[str] = field(default_factory=ReadField)
    vendor_email: ReadField[str] = field(default_factory=ReadField)
    vendor_phone: ReadField[str] = field(default_factory=ReadField)
    document_number: ReadField[str] = field(default_factory=ReadField)
    issue_date: ReadField[date] = field(default_factory=ReadField)
    due_date: ReadField[date] = field(default_factory=ReadField)
    currency: ReadField[str] = field(default_factory=ReadField)
    total: ReadField[Decimal] = field(default_factory=ReadField)
    subtotal: ReadField[Decimal] = field(default_factory=ReadField)
    tax_total: ReadField[Decimal] = field(default_factory=ReadField)
    retention_total: ReadField[Decimal] = field(default_factory=ReadField)
    taxes: tuple[ReadTax, ...] = ()
    lines: tuple[ReadLine, ...] = ()
    iban: ReadField[str] = field(default_factory=ReadField)
    payment_method: ReadField[str] = field(default_factory=ReadField)


class DocumentReader(Protocol):
    """Rules by which a country's receipts and invoices are read. All functions are pure and never raise for a text."""

    def read(self, lines: Sequence[TextLine], today: date) -> DocumentReading:
        """Return the reading of one document's lines, in any order; figures stand in the text, none is computed."""
        ...

    def checked(self, reading: DocumentReading, today: date) -> DocumentReading:
        """Return a reading from elsewhere without what arithmetic, check digits or the calendar disprove.

        Confidence is lowered where nothing confirms a field, and never raised. Checking twice changes nothing more.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class PurchaseWords:
    """Words and vendors' names of one country, in any case, with or without accents, in the singular.

    `categories` are those of expenses (`office`, `fuel`, ...), each with the words and names that speak for it; they
    count until an account has expenses of its own. `not_goods` are words of invoice lines that are charges and no
    goods: delivery, packaging, deposits. `as_of` is the month of the list, `YYYY-MM`.
    """

    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    not_goods: Sequence[str] = ()
    as_of: str = ""
