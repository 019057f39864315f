"""Amounts and rates as Spanish documents write them: decimal comma or point, points or commas between thousands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from ledgerkit.providers.es.rates import RATES
from ledgerkit.providers.es.readings.rows import MOST_PIECES, Row

RATE_VALUES = frozenset(rate.percent for rate in RATES)
"""Rates of the IVA that were in force on any day since 2012."""

MOST_AMOUNTS = 12

_AMOUNT = re.compile(
    r"(?<![\dA-Z.,/:])(?P<sign>[-+]\s?)?(?P<whole>\d{1,3}(?:[.,' ]\d{3})+|\d{1,7})\s?[.,]\s?(?P<cents>\d{2})"
    r"(?![\d%/:]|[.,]\d|\s?%|\s?(?:KWH|KW|KM|KG|L|CL|G|M)\b)"
)
_RATE = re.compile(r"(?<![\d.,])(\d{1,2})(?:[.,](\d{1,2}))?\s?%")
_BARE_RATE = re.compile(r"(?<![\d.,/:-])(21|10|4|0|5|7[.,]5)(?:[.,]0{1,2})?(?![\d.,/:%-])")
_MISREAD = str.maketrans({"O": "0", "I": "1", "L": "1"})
_MISREAD_DIGITS = re.compile(r"(?<=[\d.,])[OIL](?=[\d.,]|\b)|(?<![A-Z0-9])[OIL](?=\d{0,6}[.,]\d{2})")


@dataclass(frozen=True)
class Amount:
    """Amount where it stands: its row, the order within the row, and its sign as printed."""

    value: Decimal
    row: Row
    order: int


def amounts_in(row: Row) -> list[Amount]:
    """Return the amounts with two decimals of a row, from left to right, the first MOST_AMOUNTS of them."""
    values = [value for piece in row.pieces[:MOST_PIECES] for value in _values(piece.text)]
    return [Amount(value, row, order) for order, value in enumerate(values[:MOST_AMOUNTS])]


def rates_in(row: Row, *, bare: bool = False) -> list[Decimal]:
    """Return the rates of the IVA in a row, written with a percent sign; `bare` ones too, as columns have them."""
    written = [_rate(match[1], match[2]) for match in _RATE.finditer(row.plain)]
    if bare and not written:
        written = [_rate(*match[1].replace(",", ".").partition(".")[::2]) for match in _BARE_RATE.finditer(row.plain)]
    return [rate for rate in dict.fromkeys(written) if rate in RATE_VALUES]


def percentages_in(row: Row) -> list[Decimal]:
    """Return all percentages of a row, whether of tax, retention or discount."""
    return [_rate(match[1], match[2]) for match in _RATE.finditer(row.plain)]


def sum_of(values: Sequence[Decimal]) -> Decimal:
    return sum(values, Decimal(0))


@lru_cache(maxsize=2048)
def _values(text: str) -> tuple[Decimal, ...]:
    """Return the amounts of a piece of text; witnesses ask for them again and again."""
    return tuple(
        Decimal(
            f"{'-' if '-' in (match['sign'] or '') else ''}{re.sub(r'[^0-9]', '', match['whole'])}.{match['cents']}"
        )
        for match in _AMOUNT.finditer(_repaired(text))
        if _grouping_fits(match)
    )


def _repaired(text: str) -> str:
    """Return a text in capitals, letters that were taken for digits within a number turned back."""
    return _MISREAD_DIGITS.sub(lambda match: match[0].translate(_MISREAD), text.upper().replace("\u2212", "-"))


def _grouping_fits(match: re.Match[str]) -> bool:
    """Return True unless one mark stands for thousands and decimals alike: `1,234,50` is no Spanish amount."""
    groups = {mark for mark in match["whole"] if not mark.isdigit() and mark != " "}
    decimal_mark = match[0][len(match[0].rstrip("0123456789")) - 1 :].strip()[:1]
    return decimal_mark not in groups


def _rate(whole: str, decimals: str | None) -> Decimal:
    rate = Decimal(f"{whole}.{decimals or '0'}")
    return rate.quantize(Decimal(1)) if rate == rate.to_integral_value() else rate.normalize()
