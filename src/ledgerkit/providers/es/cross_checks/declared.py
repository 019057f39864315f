"""Sides of a check that come from declarations: boxes, or records, added up over the periods of a year."""

from collections.abc import Callable, Iterable
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    CheckInput,
    CheckSide,
    CheckTerm,
    PreviousDeclaration,
    TaxForm,
    TaxPeriod,
    YearDeclaration,
)
from ledgerkit.providers.es.cross_checks.messages import SideMsg
from ledgerkit.texts import text

Amount = Callable[[PreviousDeclaration], Decimal | None]
"""Amount in a declaration; None where the declaration does not have it."""


def boxes_of(year: CheckInput, form: TaxForm, *boxes: str) -> CheckSide:
    """Return the sum of boxes over the periods of a form."""
    return CheckSide(name=text(SideMsg.FORM, form=form.code), terms=tuple(terms(year, form, boxes, _sum_of(boxes))))


def records_of(year: CheckInput, form: TaxForm, keys: tuple[str, ...], amount: Amount) -> CheckSide:
    """Return the sum of the records of a list over its periods."""
    return CheckSide(name=text(SideMsg.RECORDS, form=form.code), terms=tuple(terms(year, form, keys, amount)))


def terms(year: CheckInput, form: TaxForm, boxes: tuple[str, ...], amount: Amount) -> Iterable[CheckTerm]:
    """Yield a term for each declaration of a form, and for each that is due and missing, in the order of the periods.

    Of the declarations of a period the last one counts: an amendment states the whole anew, and a complementary one
    subtracts what was declared before in a box of its own (29 of form 111, 04 of form 115).
    """
    declared = {
        declaration.declared.period: declaration
        for declaration in year.declarations
        if declaration.declared.form == form.code
    }
    for period in sorted({*declared, *due(year, form)}, key=lambda period: (period.span.last, period.code)):
        yield term(form, period, boxes, amount, declared.get(period), required=form.only_if is None)


def term(
    form: TaxForm,
    period: TaxPeriod,
    boxes: tuple[str, ...],
    amount: Amount,
    declaration: YearDeclaration | None,
    *,
    required: bool,
) -> CheckTerm:
    return CheckTerm(
        form=form.code,
        period=period,
        boxes=boxes,
        amount=None if declaration is None else amount(declaration.declared),
        declaration=declaration,
        required=required,
    )


def due(year: CheckInput, form: TaxForm) -> Iterable[TaxPeriod]:
    """Yield the periods of the year in which the account files a form with the AEAT."""
    for period in (TaxPeriod(year.year, code) for code in form.periods(year.year)):
        notice = form.filing_notice(year.profile, period)
        if form.is_due(year.profile, period) and (notice is None or notice.is_due_here):
            yield period


def _sum_of(boxes: tuple[str, ...]) -> Amount:
    """Return the sum of boxes; a declaration that was typed in may have none of them."""

    def amount(declaration: PreviousDeclaration) -> Decimal | None:
        amounts = [declaration.boxes[box] for box in boxes if box in declaration.boxes]
        return sum(amounts, ZERO) if amounts else None

    return amount
