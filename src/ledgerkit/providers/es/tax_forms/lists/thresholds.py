"""Limits above which form 347 declares, by the day from which they hold, each with its source."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, kw_only=True)
class ThirdPartyLimits:
    """Yearly amount of operations with a party, VAT included, and of cash received from it."""

    since: date
    operations: Decimal
    cash: Decimal
    source: str


_LIMITS = (
    ThirdPartyLimits(
        since=date(2008, 1, 1),
        operations=Decimal("3005.06"),
        cash=Decimal(6000),
        source="RD 1065/2007, arts. 33.1 and 34.1.h",
    ),
)
"""The newest first."""


def third_party_limits(day: date) -> ThirdPartyLimits:
    """Return the limits in force on a day; before the first ones known, those."""
    return next((limits for limits in _LIMITS if day >= limits.since), _LIMITS[-1])
