"""Evaluation of a form's boxes: sums and carried amounts first, then the boxes that follow from others, in order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import Box

Values = Mapping[str, Decimal]


@dataclass(frozen=True, kw_only=True, slots=True)
class Formula:
    """Box that follows from boxes before it."""

    key: str
    amount: Callable[[Values], Decimal]


def evaluate(
    boxes: Mapping[str, Box], start: Values, formulas: Sequence[Formula], overrides: Values
) -> dict[str, Decimal]:
    """Return every box, rounded half up. An override stands for its box in all formulas that read it.

    Boxes of `start` that the form does not have are left out, so that older designs need no formulas of their own.
    """
    values = {key: _rounded(overrides.get(key, start.get(key, ZERO)), box) for key, box in boxes.items()}
    for formula in formulas:
        if formula.key in boxes and formula.key not in overrides:
            values[formula.key] = _rounded(formula.amount(values), boxes[formula.key])
    return values


def refuse_unknown(overrides: Values, boxes: Mapping[str, Box]) -> None:
    """Raise ValueError for an override of a box that the form does not have."""
    unknown = sorted(overrides.keys() - boxes.keys())
    if unknown:
        raise ValueError(", ".join(unknown))


def total(values: Values, *keys: str) -> Decimal:
    """Return the sum of boxes; one that the design does not have is zero."""
    return sum((values.get(key, ZERO) for key in keys), ZERO)


def sum_of(key: str, plus: Sequence[str], minus: Sequence[str] = ()) -> Formula:
    """Return the formula of a box that adds up some boxes and subtracts others."""
    return Formula(key=key, amount=lambda values: total(values, *plus) - total(values, *minus))


def _rounded(value: Decimal, box: Box) -> Decimal:
    step = Decimal(1).scaleb(-box.decimals)
    return value.quantize(step, ROUND_HALF_UP) or step - step
