"""The table of lines as text, column by column, and how wide each column must be on paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.core.invoices.paper.formats import Formats
from ledgerkit.core.invoices.paper.model import Paper, PaperLine
from ledgerkit.core.invoices.paper.words import Words

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
        """Room for the longest cell. Fixed, because laying a table out by its content costs seconds per page."""
        return min(max(_width(text) for text in (self.heading, *self.cells)), _WIDEST) + _GAP


def columns(paper: Paper, words: Words, formats: Formats) -> list[Column]:
    """Quantity, price, discount and tax where any line has one, and amount."""
    shown = [
        Column(words.quantity, [_quantity(line, formats) for line in paper.lines]),
        Column(words.price(paper), [formats.money(line.unit_price) for line in paper.lines]),
    ]
    if any(line.discount for line in paper.lines):
        shown.append(Column(words.discount, [_percent(line.discount or None, formats) for line in paper.lines]))
    if any(line.tax_rate is not None for line in paper.lines):
        shown.append(Column(words.tax(paper), [_percent(line.tax_rate, formats) for line in paper.lines]))
    return [*shown, Column(words.line_amount(paper), [formats.money(line.total) for line in paper.lines])]


def _quantity(line: PaperLine, formats: Formats) -> str:
    quantity = formats.number(line.quantity)
    return f"{quantity} {line.unit}" if line.unit else quantity


def _percent(value: Decimal | None, formats: Formats) -> str:
    return "" if value is None else formats.percent(value)


def _width(text: str) -> Decimal:
    narrow = sum(character in ".,-' \N{NO-BREAK SPACE}" for character in text)
    percent = text.count("%")
    return _NARROW * narrow + _PERCENT * percent + _WIDE * (len(text) - narrow - percent)
