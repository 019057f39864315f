"""Formulas of form 130 (AEAT, table of rules of the form; RD 439/2007, art. 110)."""

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal

from ledgerkit.money import ZERO, percent_of
from ledgerkit.providers.es.tax_forms.income.earlier_instalments import EarlierInstalments
from ledgerkit.providers.es.tax_forms.income.instalment_boxes import (
    ACTIVITIES,
    COSTS,
    DIFFERENCE,
    EARLIER,
    FARM_INCOME,
    FARM_QUOTA,
    FARM_WITHHELD,
    FARMS,
    HOME_LOAN,
    INCOME,
    NEGATIVE_BEFORE,
    NET_INCOME,
    PAID_BEFORE,
    QUOTA,
    REDUCTION,
    RESULT,
    SUM,
    TOTAL,
    WITHHELD,
)
from ledgerkit.providers.es.tax_forms.income.instalment_tables import (
    FARMING_PERCENT,
    HOME_LOAN_LIMIT,
    HOME_LOAN_PERCENT,
    INSTALMENT_PERCENT,
    REDUCED_SHARE,
    provision,
    reduction,
)
from ledgerkit.providers.es.tax_forms.profile import EstimationMode, SpanishTaxProfile
from ledgerkit.providers.es.tax_forms.sheet import BoxFormula, Values
from ledgerkit.providers.es.territories import Territory


def formulas(
    profile: SpanishTaxProfile, last_day: date, costs: Decimal, earlier: EarlierInstalments
) -> Mapping[str, BoxFormula]:
    """Return the formulas of a quarter that ends on a day. `costs` are those of documents since January."""
    share = REDUCED_SHARE if is_reduced(profile) else Decimal(1)
    return {
        COSTS: _costs(profile, last_day, costs),
        NET_INCOME: lambda boxes: boxes[INCOME] - boxes[COSTS],
        QUOTA: lambda boxes: percent_of(max(boxes[NET_INCOME], ZERO), INSTALMENT_PERCENT * share),
        PAID_BEFORE: lambda _: earlier.paid,
        ACTIVITIES: lambda boxes: boxes[QUOTA] - boxes[PAID_BEFORE] - boxes[WITHHELD],
        FARM_QUOTA: lambda boxes: percent_of(boxes[FARM_INCOME], FARMING_PERCENT * share),
        FARMS: lambda boxes: boxes[FARM_QUOTA] - boxes[FARM_WITHHELD],
        SUM: lambda boxes: max(boxes[ACTIVITIES] + boxes[FARMS], ZERO),
        REDUCTION: lambda _: low_income_reduction(profile, last_day.year) or ZERO,
        DIFFERENCE: lambda boxes: boxes[SUM] - boxes[REDUCTION],
        NEGATIVE_BEFORE: lambda boxes: min(earlier.negative, max(boxes[DIFFERENCE], ZERO)),
        HOME_LOAN: _home_loan if profile.home_loan else lambda _: ZERO,
        TOTAL: _total,
        EARLIER: lambda _: earlier.same_period,
        RESULT: lambda boxes: boxes[TOTAL] - boxes[EARLIER],
    }


def is_reduced(profile: SpanishTaxProfile) -> bool:
    """Return True for who is taxed in Ceuta or Melilla, whose income is taken to come from there."""
    return profile.territory in {Territory.CEUTA, Territory.MELILLA}


def low_income_reduction(profile: SpanishTaxProfile, year: int) -> Decimal | None:
    """Return the reduction by last year's net income, or None where that is not known.

    Who began in the year had none the year before, and counts as having earned nothing.
    """
    if profile.last_year_net_income is not None:
        return reduction(profile.last_year_net_income)
    return reduction(ZERO) if profile.started and profile.started.year == year else None


def _costs(profile: SpanishTaxProfile, last_day: date, costs: Decimal) -> Callable[[Values], Decimal]:
    if profile.estimation is not EstimationMode.SIMPLIFIED:
        return lambda _: costs
    return lambda boxes: costs + provision(boxes[INCOME] - costs, last_day)


def _home_loan(boxes: Values) -> Decimal:
    deduction = min(percent_of(max(boxes[NET_INCOME], ZERO), HOME_LOAN_PERCENT), HOME_LOAN_LIMIT)
    return min(deduction, max(boxes[DIFFERENCE] - boxes[NEGATIVE_BEFORE], ZERO))


def _total(boxes: Values) -> Decimal:
    if boxes[DIFFERENCE] < ZERO:
        return boxes[DIFFERENCE]
    return boxes[DIFFERENCE] - boxes[NEGATIVE_BEFORE] - boxes[HOME_LOAN]
