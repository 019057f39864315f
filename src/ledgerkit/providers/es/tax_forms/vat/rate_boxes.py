"""Boxes of each rate of VAT and of surcharge, by the days on which they have that meaning.

Sources: designs DR303e23, DR303e24 (from September and the third quarter of 2024) and DR303e26, dr390e2024 and
dr390e2025 of the AEAT. The days of the rates themselves are in `providers.es.rates`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache

from ledgerkit.providers.api import TaxPeriod


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RateBoxes:
    """Boxes of base and quota of a rate, in percent, for periods that end from `since` to `until`, both included.

    Form 303 has a box of the rate itself between them: a constant of its file.
    """

    rate: Decimal
    base: str
    quota: str
    since: date = date.min
    until: date = date.max


def boxes_of(rate: Decimal, table: tuple[RateBoxes, ...], period: TaxPeriod) -> tuple[str, str] | None:
    """Return the boxes of base and quota of a rate in a period; None where the form has none."""
    return _in_force(table, period).get(rate)


@lru_cache(maxsize=256)
def _in_force(table: tuple[RateBoxes, ...], period: TaxPeriod) -> Mapping[Decimal, tuple[str, str]]:
    """Return the boxes of a period by rate; of two for one rate, the first of the table."""
    end = period.span.last
    return {row.rate: (row.base, row.quota) for row in reversed(table) if row.since <= end <= row.until}


def _row(rate: str, base: str, quota: str, **days: date) -> RateBoxes:
    return RateBoxes(rate=Decimal(rate), base=base, quota=quota, **days)


_FIRST_OF_DR303E24 = date(2024, 9, 1)
"""September 2024, so the third quarter too: own boxes for 2 % and for the surcharge of 0.5 %."""

OUTPUT_303: tuple[RateBoxes, ...] = (
    _row("0", "150", "152"),
    _row("2", "165", "167", since=_FIRST_OF_DR303E24),
    _row("4", "01", "03"),
    _row("5", "153", "155"),
    _row("7.5", "153", "155", since=_FIRST_OF_DR303E24),
    _row("10", "04", "06"),
    _row("21", "07", "09"),
)
SURCHARGE_303: tuple[RateBoxes, ...] = (
    _row("1.75", "156", "158"),
    _row("0.26", "168", "170", since=_FIRST_OF_DR303E24),
    _row("0.5", "168", "170", since=_FIRST_OF_DR303E24),
    _row("0", "16", "18"),
    _row("0.5", "16", "18", until=date(2024, 8, 31)),
    _row("0.62", "16", "18"),
    _row("1", "16", "18"),
    _row("1.4", "19", "21"),
    _row("5.2", "22", "24"),
)


_OUTPUT_RATES = ("0", "2", "4", "5", "7.5", "10", "21")
_INPUT_RATES = _OUTPUT_RATES[1:]
_SURCHARGE_RATES = ("0", "0.26", "0.5", "0.62", "1", "1.4", "5.2", "1.75")


def _by_rate(rates: Iterable[str], *bases: str) -> tuple[RateBoxes, ...]:
    """Return the boxes of rates by those of their bases: the quota stands in the next box."""
    return tuple(_row(rate, base, f"{int(base) + 1:02d}") for rate, base in zip(rates, bases, strict=True))


OUTPUT_390 = _by_rate(_OUTPUT_RATES, "700", "667", "01", "702", "669", "03", "05")
CASH_390 = _by_rate(_OUTPUT_RATES, "708", "675", "643", "710", "677", "645", "647")
USED_GOODS_390 = _by_rate(_OUTPUT_RATES, "712", "679", "07", "714", "681", "09", "11")
TRAVEL_390 = _by_rate(("21",), "13")
INTRA_EU_GOODS_390 = _by_rate(_OUTPUT_RATES, "716", "683", "21", "718", "685", "23", "25")
INTRA_EU_SERVICES_390 = _by_rate(_OUTPUT_RATES, "720", "687", "545", "722", "689", "547", "551")
GROUP_390 = _by_rate(_OUTPUT_RATES, "704", "671", "500", "706", "673", "502", "504")
SURCHARGE_390 = _by_rate(_SURCHARGE_RATES, "663", "691", "35", "665", "693", "599", "601", "41")
DOMESTIC_390 = _by_rate(_INPUT_RATES, "695", "190", "724", "697", "603", "605")
DOMESTIC_INVESTMENT_390 = _by_rate(_INPUT_RATES, "749", "196", "728", "751", "611", "613")
GROUP_INPUT_390 = _by_rate(_INPUT_RATES, "745", "506", "726", "747", "607", "609")
GROUP_INVESTMENT_390 = _by_rate(_INPUT_RATES, "753", "514", "730", "755", "615", "617")
IMPORT_390 = _by_rate(_INPUT_RATES, "757", "202", "732", "759", "619", "621")
IMPORT_INVESTMENT_390 = _by_rate(_INPUT_RATES, "761", "208", "734", "763", "623", "625")
INTRA_EU_INPUT_390 = _by_rate(_INPUT_RATES, "765", "214", "736", "767", "627", "629")
INTRA_EU_INVESTMENT_390 = _by_rate(_INPUT_RATES, "769", "220", "738", "771", "631", "633")
SERVICES_INPUT_390 = _by_rate(_INPUT_RATES, "773", "587", "740", "775", "635", "637")
