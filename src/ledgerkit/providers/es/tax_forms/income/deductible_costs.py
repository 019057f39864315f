"""Costs that income tax lets deduct since January: what was received, and the depreciation of assets.

Sources: Ley 35/2006, art. 28; RD 439/2007, art. 30; Ley 27/2014, art. 12 (linear depreciation over the useful life).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from ledgerkit.money import HUNDRED, ZERO, percent_of, round_cents
from ledgerkit.providers.api import DateSpan, DeclarationWarning, Ledger, Purchase
from ledgerkit.providers.es.tax_forms.income.warnings import warnings_where
from ledgerkit.providers.es.tax_forms.messages import IncomeFormMsg
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from ledgerkit.providers.es.tax_forms.records import ReceivedRow, cash_accounting, received_rows
from ledgerkit.providers.es.tax_forms.vat.reading import provisionally


@dataclass(frozen=True, kw_only=True, slots=True)
class DeductibleCost:
    """Deductible cost of one document, two decimals."""

    document_id: str
    amount: Decimal


@dataclass(frozen=True, kw_only=True)
class DeductibleCosts:
    listed: Sequence[DeductibleCost]
    warnings: Sequence[DeclarationWarning]


CostOf = Callable[[ReceivedRow], Decimal]


def cost_by(profile: SpanishTaxProfile) -> CostOf:
    """Return a function that gives a row's cost: with surcharge, and the VAT that the returns of the VAT do not deduct.

    What they deduct is by the provisional percent of the prorrata. The cost of an asset keeps it; the adjustment by the
    final percent (box 44 of the last 303) is a cost, or less cost, of the year.
    Source: AEAT, practical manual of income tax 2020, chapter 7, "Tributos fiscalmente deducibles": VAT that is not
    deductible in its own returns is a cost, and that of assets part of their value.
    """
    deductible = provisionally(profile)

    def cost(row: ReceivedRow) -> Decimal:
        return sum(row.amounts, ZERO) - round_cents(deductible(row, row.deductible).quota)

    return cost


def deductible_costs(ledger: Ledger, span: DateSpan, profile: SpanishTaxProfile) -> DeductibleCosts:
    """Return the deductible costs of a span that begins in January, with warnings of what reaches none.

    A purchase counts on its reception, without its assets; those by their days of use in the span.
    """
    cost_of, cash_on = cost_by(profile), cash_accounting(profile)
    owned = {purchase.document_id: purchase for purchase in (*ledger.earlier_investments, *ledger.purchases)}
    listed, unknown_life = list[DeductibleCost](), list[str]()
    for purchase in owned.values():
        received = purchase.reception_date in span
        amount = ZERO
        for row in received_rows(purchase, cash_on):
            if row.is_asset:
                amount += depreciation(row, cost_of(row), span)
                if received and not row.useful_life_years and purchase.income_tax_percent:
                    unknown_life.append(purchase.document_id)
            elif received:
                amount += percent_of(cost_of(row), purchase.income_tax_percent)
        if amount:
            listed.append(DeductibleCost(document_id=purchase.document_id, amount=amount))
    refused = (
        purchase.document_id
        for purchase in ledger.purchases
        if purchase.reception_date in span and not purchase.income_tax_percent
    )
    return DeductibleCosts(
        listed=listed,
        warnings=warnings_where((IncomeFormMsg.LIFE_UNKNOWN, unknown_life), (IncomeFormMsg.NOT_DEDUCTIBLE, refused)),
    )


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
