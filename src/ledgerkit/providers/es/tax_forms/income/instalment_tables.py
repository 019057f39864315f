"""Rates and limits of form 130 by the days on which they are in force, each with its source."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ledgerkit.money import ZERO, percent_of


@dataclass(frozen=True, kw_only=True)
class Provision:
    """Provision for costs that are hard to justify, in simplified direct estimation: percent, and limit in a year."""

    since: date
    percent: Decimal
    yearly_limit: Decimal
    source: str


PROVISIONS = (
    Provision(
        since=date(2024, 1, 1),
        percent=Decimal(5),
        yearly_limit=Decimal(2000),
        source="RD 439/2007, art. 30.2.4ª; Ley 35/2006, art. 30.2",
    ),
    Provision(
        since=date(2023, 1, 1),
        percent=Decimal(7),
        yearly_limit=Decimal(2000),
        source="Ley 35/2006, additional provision 53 (Ley 31/2022): 7 % in 2023 only",
    ),
    Provision(
        since=date(2015, 1, 1),
        percent=Decimal(5),
        yearly_limit=Decimal(2000),
        source="RD 439/2007, art. 30.2.4ª; Ley 26/2014",
    ),
)
"""The newest first."""


@dataclass(frozen=True, kw_only=True)
class Reduction:
    """Reduction of an instalment for a net income of the year before that is not above `net_income`."""

    net_income: Decimal
    amount: Decimal


REDUCTIONS = (
    Reduction(net_income=Decimal(9000), amount=Decimal(100)),
    Reduction(net_income=Decimal(10000), amount=Decimal(75)),
    Reduction(net_income=Decimal(11000), amount=Decimal(50)),
    Reduction(net_income=Decimal(12000), amount=Decimal(25)),
)
"""Euros of a quarter. Source: RD 439/2007, art. 110.3.c (RD 1003/2014)."""

INSTALMENT_PERCENT = Decimal(20)
"""Percent of the net income: RD 439/2007, art. 110.1.a."""

REDUCED_SHARE = Decimal("0.4")
"""Share that is left of the percents for income with the deduction of Ceuta and Melilla: reduced by 60 %, so 8 % and
0.8 % (RD 439/2007, art. 110.2; Ley 35/2006, art. 68.4)."""

FARMING_PERCENT = Decimal(2)
"""Percent of the quarter's income of farming, livestock, forestry and fishing: RD 439/2007, art. 110.1.c."""

HOME_LOAN_PERCENT = Decimal(2)
HOME_LOAN_LIMIT = Decimal("660.14")
"""Percent of the net income, and most of a quarter: RD 439/2007, art. 110.3.d, for loans from before 2013."""


def provision(net_income: Decimal, day: date) -> Decimal:
    """Return the provision for hard-to-justify costs of a net income since January; none of what is not positive."""
    for row in PROVISIONS:
        if day >= row.since and net_income > ZERO:
            return min(percent_of(net_income, row.percent), row.yearly_limit)
    return ZERO


def reduction(last_year_net_income: Decimal) -> Decimal:
    """Return the reduction of a quarter's instalment."""
    return next((row.amount for row in REDUCTIONS if last_year_net_income <= row.net_income), ZERO)
