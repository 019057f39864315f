"""Earlier declarations of form 130 of the same year, as the boxes 05, 15 and 18 need them."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import FormInput, PreviousDeclaration, TaxPeriod
from ledgerkit.providers.es.tax_forms.income.instalment_boxes import (
    ACTIVITIES,
    HOME_LOAN,
    NEGATIVE_BEFORE,
    RESULT,
)
from ledgerkit.providers.es.tax_forms.official_form import QUARTERS
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile

_FORM = "130"


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
