"""Rates of withholding by the days on which they are in force, with the subkey of form 190 for each.

Sources: RD 439/2007, arts. 95.1 and 100; Ley 35/2006, art. 101.5 and 101.8; RDL 9/2015; record design of form 190.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ledgerkit.money import CENT, HUNDRED, percent_of, round_cents
from ledgerkit.providers.api import Purchase


@dataclass(frozen=True, kw_only=True)
class WithholdingRate:
    """Percent that is withheld of a kind of income from a day on."""

    percent: Decimal
    since: date
    source: str
    subkey: str = ""


PROFESSIONAL = (
    WithholdingRate(
        percent=Decimal(15), since=date(2015, 7, 12), subkey="01", source="RD 439/2007, art. 95.1; RDL 9/2015"
    ),
    WithholdingRate(
        percent=Decimal(7),
        since=date(2015, 7, 12),
        subkey="03",
        source="RD 439/2007, art. 95.1: year of the start and the two after it; RDL 9/2015",
    ),
)
RENT = (
    WithholdingRate(percent=Decimal(19), since=date(2016, 1, 1), source="RD 439/2007, art. 100; Ley 35/2006, art. 101"),
    WithholdingRate(
        percent=Decimal("9.5"), since=date(2016, 1, 1), source="RD 439/2007, art. 100: half in Ceuta and Melilla"
    ),
)


def rate_of(purchase: Purchase, rates: Sequence[WithholdingRate]) -> WithholdingRate | None:
    """Return the rate in force that withholds, to the cent, what the document withholds; None for another one."""
    for rate in rates:
        expected = percent_of(purchase.retention_base, rate.percent)
        if purchase.issue_date >= rate.since and abs(purchase.retention - expected) <= CENT:
            return rate
    return None


def percent_withheld(purchase: Purchase, rates: Sequence[WithholdingRate]) -> Decimal:
    """Return the percent that a document withholds: a rate in force, else the one computed from its amounts."""
    rate = rate_of(purchase, rates)
    if rate is not None or not purchase.retention_base:
        return rate.percent if rate else Decimal(0)
    return round_cents(purchase.retention * HUNDRED / purchase.retention_base)
