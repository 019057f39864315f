"""Boxes of form 130, the formulas of those that follow from others, and what earlier declarations of the year bring.

Sources: AEAT, table of rules of the form; RD 439/2007, art. 110.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ledgerkit.money import ZERO, percent_of
from ledgerkit.providers.api import Box, FormInput, PreviousDeclaration, TaxPeriod
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts, by_key
from ledgerkit.providers.es.tax_forms.income.instalment_tables import (
    FARMING_PERCENT,
    HOME_LOAN_LIMIT,
    HOME_LOAN_PERCENT,
    INSTALMENT_PERCENT,
    REDUCED_SHARE,
    provision,
    reduction,
)
from ledgerkit.providers.es.tax_forms.official_form import QUARTERS
from ledgerkit.providers.es.tax_forms.profile import EstimationMode, SpanishTaxProfile
from ledgerkit.providers.es.tax_forms.sheet import BoxFormula, Values
from ledgerkit.providers.es.territories import Territory

INCOME, COSTS, NET_INCOME, QUOTA, PAID_BEFORE, WITHHELD, ACTIVITIES = "01", "02", "03", "04", "05", "06", "07"
FARM_INCOME, FARM_QUOTA, FARM_WITHHELD, FARMS = "08", "09", "10", "11"
SUM, REDUCTION, DIFFERENCE, NEGATIVE_BEFORE, HOME_LOAN = "12", "13", "14", "15", "16"
TOTAL, EARLIER, RESULT = "17", "18", "19"

_FORM = "130"

BOXES: Mapping[str, Box] = by_key(
    BoxTexts(_FORM).listed("01s 02 03- 04 05 06s 07- 08s 09 10s 11- 12 13 14- 15 16 17- 18 19-")
)
"""Boxes of form 130, in its order."""


@dataclass(frozen=True, kw_only=True)
class EarlierInstalments:
    """Sums of earlier quarters, the quarters of which no declaration is there, and those of which only a draft is.

    `paid` is box 05. `negative` are negative results that no later quarter has deducted yet. `same_period` is what
    was paid by declarations of this quarter that the one at hand completes.
    """

    paid: Decimal
    negative: Decimal
    same_period: Decimal
    missing: tuple[str, ...]
    drafts: tuple[str, ...]


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


def earlier_instalments(form_input: FormInput, profile: SpanishTaxProfile) -> EarlierInstalments:
    """Add up the earlier declarations; of several of one quarter the filed one counts, and the highest of those."""
    earlier = [TaxPeriod(form_input.period.year, code) for code in QUARTERS[: QUARTERS.index(form_input.period.code)]]
    counting = {
        period.code: instalment for period in earlier if (instalment := _counting(form_input, period)) is not None
    }
    listed = [instalment.boxes for instalment in counting.values()]
    paid = sum((max(_of(boxes, ACTIVITIES), ZERO) - _of(boxes, HOME_LOAN) for boxes in listed), ZERO)
    negative = sum((max(-_of(boxes, RESULT), ZERO) - _of(boxes, NEGATIVE_BEFORE) for boxes in listed), ZERO)
    return EarlierInstalments(
        paid=max(paid, ZERO),
        negative=max(negative, ZERO),
        same_period=_same_period(form_input),
        missing=tuple(
            instalment.code
            for instalment in earlier
            if instalment.code not in counting and _was_active(profile, instalment)
        ),
        drafts=tuple(code for code, instalment in counting.items() if not instalment.submitted),
    )


def _counting(form_input: FormInput, period: TaxPeriod) -> PreviousDeclaration | None:
    of_period = [
        declaration for declaration in form_input.previous if declaration.form == _FORM and declaration.period == period
    ]
    return max(
        of_period, key=lambda declaration: (declaration.submitted, _of(declaration.boxes, ACTIVITIES)), default=None
    )


def _same_period(form_input: FormInput) -> Decimal:
    if form_input.amends is None:
        return ZERO
    same = (
        declaration
        for declaration in form_input.previous
        if declaration.form == _FORM and declaration.period == form_input.period
    )
    return sum((max(_of(declaration.boxes, RESULT), ZERO) for declaration in same), ZERO)


def _was_active(profile: SpanishTaxProfile, period: TaxPeriod) -> bool:
    return profile.started is None or profile.started <= period.span.last


def _of(boxes: Mapping[str, Decimal], key: str) -> Decimal:
    return boxes.get(key, ZERO)
