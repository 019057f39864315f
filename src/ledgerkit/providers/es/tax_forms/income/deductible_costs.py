"""Costs that income tax lets deduct since January: what was received, and the depreciation of investment goods.

Sources: Ley 35/2006, art. 28; RD 439/2007, art. 30; Ley 27/2014, art. 12 (linear depreciation over the useful life).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.money import ZERO, percent_of
from ledgerkit.providers.api import DateSpan, DeclarationWarning, Ledger, Purchase, PurchaseTax
from ledgerkit.providers.es.tax_forms.income.depreciation import cost_of, depreciation
from ledgerkit.providers.es.tax_forms.income.messages import IncomeFormMsg
from ledgerkit.providers.es.tax_forms.income.warnings import warnings_where


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
    """Return the deductible costs of a span that begins in January, with warnings of what reaches none.

    A purchase counts on its reception, without its investment goods; those by their days of use in the span.
    """
    received = [one for one in ledger.purchases if one.reception_date in span]
    listed = [
        DeductibleCost(document_id=one.document_id, amount=amount) for one in received if (amount := _current_cost(one))
    ]
    owned = {one.document_id: one for one in (*ledger.earlier_investments, *ledger.purchases)}
    listed += (cost for one in owned.values() for cost in _depreciations(one, span))
    lifeless = (one.document_id for one in received if any(map(_lacks_life, one.taxes)) and one.income_tax_percent)
    refused = (one.document_id for one in received if not one.income_tax_percent)
    return DeductibleCosts(
        listed=listed,
        warnings=warnings_where((IncomeFormMsg.LIFE_UNKNOWN, lifeless), (IncomeFormMsg.NOT_DEDUCTIBLE, refused)),
    )


def _current_cost(purchase: Purchase) -> Decimal:
    invested = sum((cost_of(tax) for tax in purchase.taxes if tax.investment_good), ZERO)
    return percent_of(purchase.cost - invested, purchase.income_tax_percent)


def _depreciations(purchase: Purchase, span: DateSpan) -> Iterator[DeductibleCost]:
    for tax in purchase.taxes:
        if tax.investment_good and (amount := depreciation(purchase, tax, span)):
            yield DeductibleCost(document_id=purchase.document_id, amount=amount)


def _lacks_life(tax: PurchaseTax) -> bool:
    return tax.investment_good and not tax.useful_life_years
