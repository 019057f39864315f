"""Result of form 303: formulas of its boxes, what earlier periods carry into it, and the types of the declaration.

Sources: design DR303e26 and instructions of form 303; Ley 37/1992, arts. 99.Cinco and 115 to 117; Orden HAC/819/2024
(a rectification replaces the return: it states the whole anew and subtracts what was settled).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from types import MappingProxyType

from ledgerkit.money import HUNDRED, ZERO
from ledgerkit.providers.api import PreviousDeclaration, ResultKind, TaxPeriod
from ledgerkit.providers.es.tax_forms.messages import VatMsg
from ledgerkit.providers.es.tax_forms.sheet import Formula, Values, sum_of, total
from ledgerkit.providers.es.tax_forms.vat import boxes as vat_boxes

FORM_303 = "303"
_DAY = timedelta(days=1)

PAY, DEBIT, TAX_ACCOUNT_PAY = "I", "U", "G"
NOTHING, COMPENSATE = "N", "C"
REFUND, TAX_ACCOUNT_REFUND, REFUND_ABROAD = "D", "V", "X"
REFUNDS = (REFUND, TAX_ACCOUNT_REFUND, REFUND_ABROAD)

TYPE_NAMES: Mapping[str, VatMsg] = MappingProxyType(
    {
        PAY: VatMsg.TYPE_PAY,
        DEBIT: VatMsg.TYPE_DEBIT,
        TAX_ACCOUNT_PAY: VatMsg.TYPE_TAX_ACCOUNT_PAY,
        NOTHING: VatMsg.TYPE_NOTHING,
        COMPENSATE: VatMsg.TYPE_COMPENSATE,
        REFUND: VatMsg.TYPE_REFUND,
        TAX_ACCOUNT_REFUND: VatMsg.TYPE_TAX_ACCOUNT_REFUND,
        REFUND_ABROAD: VatMsg.TYPE_REFUND_ABROAD,
    }
)
_REFUND_ABROAD_PERIODS = frozenset({"Q3", "Q4", "M07", "M08", "M09", "M10", "M11", "M12"})
"""Periods in which the design takes a refund abroad."""

_DUE = ("152", "167", "03", "155", "06", "09", "11", "13", "15", "158", "170", "18", "21", "24", "26")
_DEDUCTIBLE = ("29", "31", "33", "35", "37", "39", "41", "42", "43", "44")
_TURNOVER = ("80", "81", "93", "94", "83", "84", "125", "126", "127", "128", "86", "95", "96", "97", "98")


def formulas(*, refund: bool, amends: bool) -> tuple[Formula, ...]:
    """Return the formulas in order. Who asks for a `refund` gets back all that is pending (LIVA, art. 115.Uno)."""

    def applied(values: Values) -> Decimal:
        needed = total(values, "66", "77", "68", "108")
        return values["110"] if refund else min(values["110"], max(ZERO, needed))

    def undue(values: Values) -> Decimal:
        return max(ZERO, min(values["70"], -values["71"])) if amends else ZERO

    return (
        sum_of("27", _DUE),
        sum_of("45", _DEDUCTIBLE),
        sum_of("46", ("27",), ("45",)),
        sum_of("64", ("46", "76")),
        Formula(key="66", amount=lambda values: values["64"] * values["65"] / HUNDRED),
        Formula(key="78", amount=applied),
        sum_of("87", ("110",), ("78",)),
        sum_of("69", ("66", "77", "68", "108"), ("78",)),
        sum_of("71", ("69", "109"), ("70", "112")),
        Formula(key="111", amount=undue),
        sum_of("88", _TURNOVER, ("79", "99")),
        *vat_boxes.formulas(vat_boxes.SECTORS_303),
    )


@dataclass(frozen=True, kw_only=True)
class Carried:
    """Amounts of earlier declarations: `pending` from the period before, `settled` by returns that this one amends.

    `settled` is above zero for what was paid, below for what was refunded. `before` and `amended` are the declarations
    themselves, None where they are not here.
    """

    pending: Decimal
    settled: Decimal
    before: PreviousDeclaration | None
    amended: PreviousDeclaration | None


def carried(previous: Sequence[PreviousDeclaration], period: TaxPeriod, *, amends: bool) -> Carried:
    """Return what is carried into a period. Of several declarations of a period the last one given counts.

    The period before is the one that ends on the day before this one: a quarter may follow a month.
    """
    of_form = [declaration for declaration in previous if declaration.form == FORM_303]
    before = _last([declaration for declaration in of_form if declaration.period.span.last == period.span.first - _DAY])
    amended = _last([declaration for declaration in of_form if declaration.period == period]) if amends else None
    return Carried(
        pending=ZERO if before is None else _pending(before),
        settled=ZERO if amended is None else settled(amended),
        before=before,
        amended=amended,
    )


def pending_after(boxes: Values, declaration_type: str | None) -> Decimal:
    """Return what a declaration leaves to compensate: box 87, and its own result if that is compensated.

    A result below zero without a type is compensated; an undue payment (box 111) is refunded.
    """
    compensable = max(ZERO, -total(boxes, "71") - total(boxes, "111"))
    compensated = declaration_type in {None, COMPENSATE}
    return total(boxes, "87") + (compensable if compensated else ZERO)


def _pending(before: PreviousDeclaration) -> Decimal:
    return pending_after(before.boxes, before.declaration_type)


def settled(amended: PreviousDeclaration) -> Decimal:
    """Return what all returns of the period so far have paid, less what they have refunded."""
    earlier = total(amended.boxes, "70") - total(amended.boxes, "109")
    result = total(amended.boxes, "71")
    refunded = amended.declaration_type in REFUNDS
    settled_now = result if result > 0 or refunded else -total(amended.boxes, "111")
    return earlier + settled_now


def _last(declarations: Sequence[PreviousDeclaration]) -> PreviousDeclaration | None:
    return declarations[-1] if declarations else None


def allowed_types(usual: Values, period: TaxPeriod, *, refundable: bool) -> tuple[str, ...]:
    """Return the official letters that a result allows, the usual one first.

    `usual` are the boxes without a refund. Only the last period of the year, and who is registered for monthly refunds,
    may ask for one (LIVA, arts. 115 and 116); and who has paid too much by a return that is rectified, of that only.
    """
    result, undue = total(usual, "71"), total(usual, "111")
    if result > 0:
        return (PAY, DEBIT, TAX_ACCOUNT_PAY)
    refunds = REFUNDS if period.code in _REFUND_ABROAD_PERIODS else REFUNDS[:-1]
    if result == 0:
        return (NOTHING, *refunds) if refundable and total(usual, "87") > 0 else (NOTHING,)
    if -result == undue:
        return refunds
    return (COMPENSATE, *refunds) if refundable else (COMPENSATE,)


def result_kind(result: Decimal, declaration_type: str) -> ResultKind:
    if result > 0:
        return ResultKind.PAY
    if result == 0:
        return ResultKind.NONE
    return ResultKind.REFUND if declaration_type in REFUNDS else ResultKind.COMPENSATE
