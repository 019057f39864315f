"""Forms of what was withheld, and their sums by box: distinct payees, amounts, and the documents behind them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import ClassVar

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    BooksOutline,
    Computation,
    DeclarationWarning,
    FormInput,
    PurchaseFacts,
    RetentionKind,
    TaxPeriod,
)
from ledgerkit.providers.es.tax_forms.income.declaration_types import withholding_outcome
from ledgerkit.providers.es.tax_forms.income.retentions import PaidIncome, days_withheld, paid_incomes, withholds
from ledgerkit.providers.es.tax_forms.income.warnings import lower_complementary, omissions, warnings_where, with_choice
from ledgerkit.providers.es.tax_forms.messages import IncomeFormMsg
from ledgerkit.providers.es.tax_forms.official_form import MONTHS, QUARTERS, OfficialForm
from ledgerkit.providers.es.tax_forms.sheet import BoxFormula, Contribution, Outcome, Sheet, Values, sums

BoxesOfKind = Mapping[RetentionKind, tuple[str, str, str]]
"""Boxes of payees, of what was paid and of what was withheld, by kind."""


class WithholdingForm(OfficialForm):
    """Quarterly, or monthly for large companies, declaration of what was withheld. It has no use for sales.

    `kinds` are read, and those of `boxes_of_kind` counted; `yearly` is the code of the summary of the year. `total_box`
    is what was withheld, `earlier_box` what earlier declarations of the period came to, `result_box` what is left.
    """

    counts_sales = False
    period_codes = (*QUARTERS, *MONTHS)
    kinds: ClassVar[frozenset[RetentionKind]]
    boxes_of_kind: ClassVar[BoxesOfKind]
    yearly: ClassVar[str]
    total_box: ClassVar[str]
    earlier_box: ClassVar[str]
    result_box: ClassVar[str]

    def is_indicated(self, period: TaxPeriod, outline: BooksOutline) -> bool:
        return withholds({self.code, self.yearly}, self.boxes_of_kind, period, outline)

    def purchase_days(self, purchase: PurchaseFacts) -> Collection[date]:
        return days_withheld(purchase, self.kinds)

    def outcome(self, boxes: Values, period: TaxPeriod) -> Outcome:  # noqa: ARG002 - the same in all
        return withholding_outcome(boxes[self.result_box])

    def formulas(self, earlier: Decimal) -> dict[str, BoxFormula]:
        """Return the formulas; `earlier` is what earlier declarations of the period came to."""
        return {
            self.earlier_box: lambda _: earlier,
            self.result_box: lambda boxes: boxes[self.total_box] - boxes[self.earlier_box],
        }

    def compute(self, form_input: FormInput) -> Computation:
        incomes = paid_incomes(form_input, self.code, self.kinds)
        sums_by_box = withheld_sums(incomes.listed, self.boxes_of_kind)
        earlier = _earlier_result(form_input, self.code, self.result_box)
        sheet = Sheet(boxes=self.official_boxes, formulas=self.formulas(earlier))
        total = sheet.solve(sums_by_box.amounts, form_input.overrides)[self.total_box]
        others = (income.purchase.document_id for income in incomes.listed if income.kind is RetentionKind.OTHER)
        computation = sheet.compute(
            form_input,
            sums_by_box.contributions,
            lambda boxes: self.outcome(boxes, form_input.period),
            amounts=sums_by_box.counts,
            warnings=[
                *omissions(form_input.ledger, form_input.period.span),
                *incomes.warnings,
                *warnings_where((IncomeFormMsg.KIND_OTHER, others)),
                *sums_by_box.warnings,
                *lower_complementary(earlier, total),
            ],
        )
        return with_choice(computation, form_input.choice)


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
    """Add up incomes by kind.

    A kind whose sum is below zero has empty boxes and a warning, since no box may be negative. A payee counts once per
    kind, unless the sum of its incomes is zero.
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
        contributions += withheld_contributions(of_kind, paid, withheld)
    return WithheldSums(
        contributions=contributions,
        counts=counts,
        warnings=warnings_where((IncomeFormMsg.BELOW_ZERO, negative)),
    )


def withheld_contributions(incomes: Iterable[PaidIncome], paid: str, withheld: str) -> Iterator[Contribution]:
    """Yield what incomes contribute to the boxes of what was paid and of what was withheld."""
    for purchase in (income.purchase for income in incomes):
        yield Contribution(box=paid, document_id=purchase.document_id, amount=purchase.retention_base)
        yield Contribution(box=withheld, document_id=purchase.document_id, amount=purchase.retention)


def _earlier_result(form_input: FormInput, form: str, box: str) -> Decimal:
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
