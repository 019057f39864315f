"""Values read from documents, within the bounds of their fields; a value that does not fit was misread."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal

from pydantic import TypeAdapter, ValidationError

from ledgerkit.core.catalog.api import Stock
from ledgerkit.core.catalog.supplier_invoices.api import Received
from ledgerkit.core.platform.api_types.fields import FIRST_DAY, LAST_DAY, is_storable
from ledgerkit.money import Amount, Rate, UnitPrice

MAX_TEXT = 200
MAX_NAME = 120


def one_line(text: str | None, longest: int = MAX_TEXT) -> str | None:
    """Return a text without control characters and line ends, cut to `longest`; None for an empty one."""
    printable = "".join(c if c.isprintable() and is_storable(c) else " " for c in text or "")
    return " ".join(printable.split())[:longest].strip() or None


def day(value: date | None) -> date | None:
    return value if value is not None and FIRST_DAY <= value <= LAST_DAY else None


def currency(code: str | None) -> str | None:
    """Return an ISO 4217 code in capitals; None for anything else."""
    letters = (code or "").strip().upper()
    return letters if len(letters) == 3 and letters.isascii() and letters.isalpha() else None


def score(confidence: float) -> Decimal:
    """Return a confidence as answers contain it: from 0 to 1, two decimals."""
    return Decimal(str(round(min(1.0, max(0.0, confidence)), 2)))


def _within(adapter: TypeAdapter[Decimal]) -> Callable[[Decimal | None], Decimal | None]:
    """Return a function that returns a value of this type, and None for any other one."""

    def bounded(value: Decimal | None) -> Decimal | None:
        try:
            return None if value is None else adapter.validate_python(value)
        except ValidationError:
            return None

    return bounded


amount, rate, unit_price = _within(TypeAdapter(Amount)), _within(TypeAdapter(Rate)), _within(TypeAdapter(UnitPrice))
quantity, signed_quantity = _within(TypeAdapter(Received)), _within(TypeAdapter(Stock))
"""Quantities of goods; those given back are negative."""
