"""Table of lines as text, column by column, with the printed width of each column."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.core.platform.documents.languages import Words
from ledgerkit.core.sales.invoices.pdf.formats import Formats
from ledgerkit.core.sales.invoices.pdf.model import PrintedDocument, PrintedLine
from ledgerkit.providers.api import TaxCategory

_WIDE, _NARROW, _PERCENT, _GAP = Decimal("2.2"), Decimal("1.1"), Decimal(3), Decimal(3)
"""Millimetres of a digit or letter, of a point or space, of a percent sign, and between columns, at nine points."""

_WIDEST = Decimal(40)
"""A column of fifteen digits and a currency code fits; a long unit wraps instead of squeezing the description."""


@dataclass(frozen=True)
class Column:
    """One column after the description: its heading and its text in each line."""

    heading: str
    cells: Sequence[str]

    @property
    def width_mm(self) -> Decimal:
        """Width for the longest cell. Fixed, because laying a table out by its content costs seconds per page."""
        return min(max(_width(text) for text in (self.heading, *self.cells)), _WIDEST) + _GAP


def columns(document: PrintedDocument, formats: Formats) -> list[Column]:
    """Return the columns: quantity, price, discount and tax where any line has one, and amount."""
    words = document.words
    leading_columns = [
        Column(words["quantity"], [_quantity(line, formats) for line in document.lines]),
        Column(_as_priced(words["unit_price"], document), [formats.money(line.unit_price) for line in document.lines]),
    ]
    if any(line.discount for line in document.lines):
        discounts = [formats.percent(line.discount) if line.discount else "" for line in document.lines]
        leading_columns.append(Column(words["discount"], discounts))
    taxes = [_tax(line, words, formats) for line in document.lines]
    if any(taxes):
        leading_columns.append(Column(tax_name(document), taxes))
    amounts = [formats.money(line.total) for line in document.lines]
    return [*leading_columns, Column(_as_priced(words["amount"], document), amounts)]


def tax_name(document: PrintedDocument) -> str:
    """Return the name of the document's tax in its language."""
    return document.tax_name or document.words["vat"]


def _as_priced(label: str, document: PrintedDocument) -> str:
    """Return the label, with the tax's name where the prices contain it."""
    return (
        document.words["with_tax"].format(label=label, tax=tax_name(document)) if document.prices_include_tax else label
    )


def _tax(line: PrintedLine, words: Words, formats: Formats) -> str:
    """Return the rate, or the reason for which the line carries no tax."""
    if line.category is not TaxCategory.STANDARD:
        return words[f"line.{line.category}"]
    if line.tax_rate is None:
        return ""
    return " ".join(part for part in (line.tax_name, formats.percent(line.tax_rate)) if part)


def _quantity(line: PrintedLine, formats: Formats) -> str:
    quantity = formats.number(line.quantity)
    return f"{quantity} {line.unit}" if line.unit else quantity


def _width(text: str) -> Decimal:
    narrow = sum(character in ".,-' \N{NO-BREAK SPACE}" for character in text)
    percent = text.count("%")
    return _NARROW * narrow + _PERCENT * percent + _WIDE * (len(text) - narrow - percent)
