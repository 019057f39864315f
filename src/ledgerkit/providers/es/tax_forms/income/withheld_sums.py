"""Sums of what was paid and withheld, by box: distinct payees, amounts, and the documents behind them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import DeclarationWarning, FormInput, RetentionKind
from ledgerkit.providers.es.tax_forms.income.retentions import PaidIncome
from ledgerkit.providers.es.tax_forms.income.warnings import warnings_where
from ledgerkit.providers.es.tax_forms.messages import IncomeFormMsg
from ledgerkit.providers.es.tax_forms.sheet import Contribution, sums

BoxesOfKind = Mapping[RetentionKind, tuple[str, str, str]]
"""Boxes of payees, of what was paid and of what was withheld, by kind."""


@dataclass(frozen=True, kw_only=True)
class WithheldSums:
    """Contributions to the boxes of amounts, the boxes of payees, and warnings of sums below zero."""

    contributions: Sequence[Contribution]
    counts: Mapping[str, Decimal]
    warnings: Sequence[DeclarationWarning]

    @property
    def amounts(self) -> Mapping[str, Decimal]:
        """Every box that the documents make."""
        return {**sums(self.contributions), **self.counts}


def withheld_sums(incomes: Sequence[PaidIncome], boxes: BoxesOfKind) -> WithheldSums:
    """Add up incomes by kind. A kind that comes to less than zero has empty boxes and a warning: none may be negative.

    A payee counts once per kind, unless all that was paid to it comes to nothing.
    """
    contributions: list[Contribution] = []
    counts: dict[str, Decimal] = {}
    negative: list[str] = []
    for kind, (payees, paid, withheld) in boxes.items():
        of_kind = [income for income in incomes if income.kind is kind]
        if _paid(of_kind) < ZERO or _withheld(of_kind) < ZERO:
            negative += (income.purchase.document_id for income in of_kind)
            continue
        counts[payees] = Decimal(_distinct_payees(of_kind))
        for income in of_kind:
            document_id = income.purchase.document_id
            contributions += (
                Contribution(box=paid, document_id=document_id, amount=income.purchase.retention_base),
                Contribution(box=withheld, document_id=document_id, amount=income.purchase.retention),
            )
    return WithheldSums(
        contributions=contributions,
        counts=counts,
        warnings=warnings_where((IncomeFormMsg.BELOW_ZERO, negative)),
    )


def earlier_result(form_input: FormInput, form: str, box: str) -> Decimal:
    """Return what earlier declarations of the same period came to, for one that completes them; otherwise zero."""
    if form_input.amends is None:
        return ZERO
    same = (
        declaration
        for declaration in form_input.previous
        if declaration.form == form and declaration.period == form_input.period
    )
    return sum((declaration.boxes.get(box, ZERO) for declaration in same), ZERO)


def _distinct_payees(incomes: Sequence[PaidIncome]) -> int:
    paid: defaultdict[str, Decimal] = defaultdict(lambda: ZERO)
    for income in incomes:
        paid[income.payee] += income.purchase.retention_base
    return sum(amount != ZERO for amount in paid.values())


def _paid(incomes: Sequence[PaidIncome]) -> Decimal:
    return sum((income.purchase.retention_base for income in incomes), ZERO)


def _withheld(incomes: Sequence[PaidIncome]) -> Decimal:
    return sum((income.purchase.retention for income in incomes), ZERO)
