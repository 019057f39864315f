"""Costs that income tax lets deduct since January: what was received, and the depreciation of investment goods.

Sources: Ley 35/2006, art. 28; RD 439/2007, art. 30; Ley 27/2014, art. 12 (linear depreciation over the useful life).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from ledgerkit.money import HUNDRED, ZERO, percent_of, round_cents
from ledgerkit.providers.api import DateSpan, DeclarationWarning, Ledger, Purchase, PurchaseTax
from ledgerkit.providers.es.tax_forms.income.messages import IncomeFormMsg
from ledgerkit.providers.es.tax_forms.income.warnings import warnings_where

_DAY = timedelta(days=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class DeductibleCost:
    """Deductible cost of one document, two decimals."""

    document_id: str
    amount: Decimal


@dataclass(frozen=True, kw_only=True)
class DeductibleCosts:
    listed: Sequence[DeductibleCost]
    warnings: Sequence[DeclarationWarning]

    @property
    def total(self) -> Decimal:
        return sum((one.amount for one in self.listed), ZERO)


def deductible_costs(ledger: Ledger, span: DateSpan) -> DeductibleCosts:
    """Return the deductible costs of a span that begins in January, and warn of goods without a useful life.

    A purchase counts on its reception, without its investment goods; those by their days of use in the span.
    """
    received = [one for one in ledger.purchases if one.reception_date in span]
    listed = [
        DeductibleCost(document_id=one.document_id, amount=amount) for one in received if (amount := _current_cost(one))
    ]
    owned = {one.document_id: one for one in (*ledger.earlier_investments, *ledger.purchases)}
    listed += (cost for one in owned.values() for cost in _depreciations(one, span))
    lifeless = (one.document_id for one in received if any(map(_lacks_life, one.taxes)) and one.income_tax_percent)
    return DeductibleCosts(listed=listed, warnings=warnings_where((IncomeFormMsg.LIFE_UNKNOWN, lifeless)))


def _current_cost(purchase: Purchase) -> Decimal:
    invested = sum((_value(tax) for tax in purchase.taxes if tax.investment_good), ZERO)
    return percent_of(purchase.cost - invested, purchase.income_tax_percent)


def _depreciations(purchase: Purchase, span: DateSpan) -> Iterator[DeductibleCost]:
    for tax in purchase.taxes:
        if tax.investment_good and tax.useful_life_years:
            value = _value(tax) * purchase.income_tax_percent / HUNDRED
            amount = round_cents(value / tax.useful_life_years * _share_of_years(purchase, tax.useful_life_years, span))
            if amount:
                yield DeductibleCost(document_id=purchase.document_id, amount=amount)


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


def _value(tax: PurchaseTax) -> Decimal:
    """Cost of the lines of a rate: with the surcharge and the tax that is not deductible."""
    return tax.base + tax.surcharge_amount + tax.tax - tax.deductible_tax


def _lacks_life(tax: PurchaseTax) -> bool:
    return tax.investment_good and not tax.useful_life_years
