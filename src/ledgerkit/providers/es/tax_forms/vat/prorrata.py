"""Final percent of the prorrata, from the operations of a year (Ley 37/1992, arts. 104 and 105)."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from ledgerkit.money import HUNDRED, ZERO
from ledgerkit.providers.api import Ledger, TaxPeriod
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from ledgerkit.providers.es.tax_forms.records import cash_accounting, issued_rows
from ledgerkit.providers.es.tax_forms.vat.operations import WITH_RIGHT, SaleKind, sale_kind
from ledgerkit.providers.es.tax_forms.vat.reading import Deductible, add_nothing, read
from ledgerkit.providers.es.tax_forms.vat.rules_303 import received_rule

_QUOTAS = ("29", "31", "33", "35", "37", "39", "41", "42")


@dataclass(frozen=True, kw_only=True)
class YearOfOperations:
    """Operations of a year without VAT: all, and those with the right to deduct."""

    total: Decimal
    with_right: Decimal

    @property
    def percent(self) -> Decimal:
        """Final percent, rounded up to an integer from 0 to 100 (art. 104.Dos); 100 without operations."""
        if self.total <= 0:
            return HUNDRED
        share = (self.with_right * HUNDRED / self.total).to_integral_value(ROUND_CEILING)
        return min(max(share, ZERO), HUNDRED)


def operations_of_year(ledger: Ledger, year: TaxPeriod, profile: SpanishTaxProfile) -> YearOfOperations:
    """Return the operations of a year. What is not subject by art. 7 does not count (art. 104.Tres.5.º)."""
    total = with_right = ZERO
    cash_on = cash_accounting(profile)
    for sale in ledger.sales:
        for row in issued_rows(sale, cash_on):
            kind = sale_kind(row)
            if row.vat_date not in year.span or not isinstance(kind, SaleKind):
                continue
            with_right += row.amounts.base if kind in WITH_RIGHT else ZERO
            total += row.amounts.base if kind in WITH_RIGHT or kind is SaleKind.EXEMPT else ZERO
    return YearOfOperations(total=total, with_right=with_right)


def adjustment(
    ledger: Ledger, year: TaxPeriod, profile: SpanishTaxProfile, provisional: Deductible, percent: Decimal
) -> Decimal:
    """Return box 44: the year's deductible quotas at the final percent, less what was deducted provisionally."""
    at_all = _quotas(ledger, year, profile, lambda _, amounts: amounts)
    deducted = _quotas(ledger, year, profile, provisional)
    return at_all * percent / HUNDRED - deducted


def _quotas(ledger: Ledger, year: TaxPeriod, profile: SpanishTaxProfile, deductible: Deductible) -> Decimal:
    reading = read(ledger, year.span, profile, add_nothing, received_rule(year, deductible))
    totals = reading.sums.totals()
    return sum((totals.get(key, ZERO) for key in _QUOTAS), ZERO)
