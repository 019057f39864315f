"""Linear depreciation of an asset over its useful life, by the days of its use.

Sources: RD 439/2007, art. 30; Ley 27/2014, art. 12.
"""

from datetime import date, timedelta
from decimal import Decimal

from ledgerkit.money import HUNDRED, ZERO, round_cents
from ledgerkit.providers.api import DateSpan, Purchase
from ledgerkit.providers.es.tax_forms.records import ReceivedRow

_DAY = timedelta(days=1)


def depreciation(row: ReceivedRow, cost: Decimal, span: DateSpan) -> Decimal:
    """Return the depreciation of assets of a cost in a span of one calendar year, in cents; zero without a life."""
    years, purchase = row.useful_life_years, row.purchase
    if not years:
        return ZERO
    value = cost * purchase.income_tax_percent / HUNDRED
    return round_cents(value / years * _share_of_years(purchase, years, span))


def _share_of_years(purchase: Purchase, life_years: int, span: DateSpan) -> Decimal:
    """Return the part of the span's year in which the good was in use, by days from its reception to its life's end."""
    first = max(purchase.reception_date, span.first)
    last = min(_years_after(purchase.reception_date, life_years) - _DAY, span.last)
    days_of_year = (date(span.first.year + 1, 1, 1) - date(span.first.year, 1, 1)).days
    return Decimal(max((last - first).days + 1, 0)) / days_of_year


def _years_after(day: date, years: int) -> date:
    """Return the same day some years later; 1 March for 29 February in a common year."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return date(day.year + years, 3, 1)
