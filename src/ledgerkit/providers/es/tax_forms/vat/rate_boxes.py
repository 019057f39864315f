"""Boxes of each rate of VAT and of surcharge, by the days on which they have that meaning.

Sources: designs DR303e23, DR303e24 (from September and the third quarter of 2024) and DR303e26, dr390e2024 and
dr390e2025 of the AEAT. The days of the rates themselves are in `providers.es.rates`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache

from ledgerkit.providers.api import TaxPeriod


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RateBoxes:
    """Boxes of a rate, in percent: base and quota, and in form 303 that of the rate itself.

    They hold for periods that end from `since` to `until`, both included.
    """

    rate: Decimal
    base: str
    quota: str
    rate_box: str | None = None
    since: date = date.min
    until: date = date.max


def boxes_of(rate: Decimal, table: tuple[RateBoxes, ...], period: TaxPeriod) -> RateBoxes | None:
    """Return the boxes of a rate in a period; None where the form has none."""
    return _in_force(table, period).get(rate)


@lru_cache(maxsize=256)
def _in_force(table: tuple[RateBoxes, ...], period: TaxPeriod) -> Mapping[Decimal, RateBoxes]:
    """Return the boxes of a period by rate; of two for one rate, the first of the table."""
    end = period.span.last
    return {row.rate: row for row in reversed(table) if row.since <= end <= row.until}


def _row(rate: str, base: str, rate_box: str | None, quota: str, **days: date) -> RateBoxes:
    return RateBoxes(rate=Decimal(rate), base=base, quota=quota, rate_box=rate_box, **days)


_FIRST_OF_DR303E24 = date(2024, 9, 1)
"""September 2024, so the third quarter too: own boxes for 2 % and for the surcharge of 0.5 %."""

OUTPUT_303: tuple[RateBoxes, ...] = (
    _row("0", "150", "151", "152"),
    _row("2", "165", "166", "167", since=_FIRST_OF_DR303E24),
    _row("4", "01", "02", "03"),
    _row("5", "153", "154", "155"),
    _row("7.5", "153", "154", "155", since=_FIRST_OF_DR303E24),
    _row("10", "04", "05", "06"),
    _row("21", "07", "08", "09"),
)
SURCHARGE_303: tuple[RateBoxes, ...] = (
    _row("1.75", "156", "157", "158"),
    _row("0.26", "168", "169", "170", since=_FIRST_OF_DR303E24),
    _row("0.5", "168", "169", "170", since=_FIRST_OF_DR303E24),
    _row("0", "16", "17", "18"),
    _row("0.5", "16", "17", "18", until=date(2024, 8, 31)),
    _row("0.62", "16", "17", "18"),
    _row("1", "16", "17", "18"),
    _row("1.4", "19", "20", "21"),
    _row("5.2", "22", "23", "24"),
)


def _yearly(*rows: tuple[str, str, str]) -> tuple[RateBoxes, ...]:
    return tuple(_row(rate, base, None, quota) for rate, base, quota in rows)


OUTPUT_390 = _yearly(
    ("0", "700", "701"),
    ("2", "667", "668"),
    ("4", "01", "02"),
    ("5", "702", "703"),
    ("7.5", "669", "670"),
    ("10", "03", "04"),
    ("21", "05", "06"),
)
CASH_390 = _yearly(
    ("0", "708", "709"),
    ("2", "675", "676"),
    ("4", "643", "644"),
    ("5", "710", "711"),
    ("7.5", "677", "678"),
    ("10", "645", "646"),
    ("21", "647", "648"),
)
USED_GOODS_390 = _yearly(
    ("0", "712", "713"),
    ("2", "679", "680"),
    ("4", "07", "08"),
    ("5", "714", "715"),
    ("7.5", "681", "682"),
    ("10", "09", "10"),
    ("21", "11", "12"),
)
TRAVEL_390 = _yearly(("21", "13", "14"))
INTRA_EU_GOODS_390 = _yearly(
    ("0", "716", "717"),
    ("2", "683", "684"),
    ("4", "21", "22"),
    ("5", "718", "719"),
    ("7.5", "685", "686"),
    ("10", "23", "24"),
    ("21", "25", "26"),
)
INTRA_EU_SERVICES_390 = _yearly(
    ("0", "720", "721"),
    ("2", "687", "688"),
    ("4", "545", "546"),
    ("5", "722", "723"),
    ("7.5", "689", "690"),
    ("10", "547", "548"),
    ("21", "551", "552"),
)
GROUP_390 = _yearly(
    ("0", "704", "705"),
    ("2", "671", "672"),
    ("4", "500", "501"),
    ("5", "706", "707"),
    ("7.5", "673", "674"),
    ("10", "502", "503"),
    ("21", "504", "505"),
)
SURCHARGE_390 = _yearly(
    ("0", "663", "664"),
    ("0.26", "691", "692"),
    ("0.5", "35", "36"),
    ("0.62", "665", "666"),
    ("1", "693", "694"),
    ("1.4", "599", "600"),
    ("5.2", "601", "602"),
    ("1.75", "41", "42"),
)
DOMESTIC_390 = _yearly(
    ("2", "695", "696"),
    ("4", "190", "191"),
    ("5", "724", "725"),
    ("7.5", "697", "698"),
    ("10", "603", "604"),
    ("21", "605", "606"),
)
DOMESTIC_INVESTMENT_390 = _yearly(
    ("2", "749", "750"),
    ("4", "196", "197"),
    ("5", "728", "729"),
    ("7.5", "751", "752"),
    ("10", "611", "612"),
    ("21", "613", "614"),
)
GROUP_INPUT_390 = _yearly(
    ("2", "745", "746"),
    ("4", "506", "507"),
    ("5", "726", "727"),
    ("7.5", "747", "748"),
    ("10", "607", "608"),
    ("21", "609", "610"),
)
GROUP_INVESTMENT_390 = _yearly(
    ("2", "753", "754"),
    ("4", "514", "515"),
    ("5", "730", "731"),
    ("7.5", "755", "756"),
    ("10", "615", "616"),
    ("21", "617", "618"),
)
IMPORT_390 = _yearly(
    ("2", "757", "758"),
    ("4", "202", "203"),
    ("5", "732", "733"),
    ("7.5", "759", "760"),
    ("10", "619", "620"),
    ("21", "621", "622"),
)
IMPORT_INVESTMENT_390 = _yearly(
    ("2", "761", "762"),
    ("4", "208", "209"),
    ("5", "734", "735"),
    ("7.5", "763", "764"),
    ("10", "623", "624"),
    ("21", "625", "626"),
)
INTRA_EU_INPUT_390 = _yearly(
    ("2", "765", "766"),
    ("4", "214", "215"),
    ("5", "736", "737"),
    ("7.5", "767", "768"),
    ("10", "627", "628"),
    ("21", "629", "630"),
)
INTRA_EU_INVESTMENT_390 = _yearly(
    ("2", "769", "770"),
    ("4", "220", "221"),
    ("5", "738", "739"),
    ("7.5", "771", "772"),
    ("10", "631", "632"),
    ("21", "633", "634"),
)
SERVICES_INPUT_390 = _yearly(
    ("2", "773", "774"),
    ("4", "587", "588"),
    ("5", "740", "741"),
    ("7.5", "775", "776"),
    ("10", "635", "636"),
    ("21", "637", "638"),
)
