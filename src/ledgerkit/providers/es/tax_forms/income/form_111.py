"""Form 111: income tax withheld from employees, professionals and others.

Sources: RD 439/2007, art. 108; record design of 2016; boxes as in the AEAT's instructions of the form.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    BooksOutline,
    Box,
    Computation,
    FormInput,
    RetentionKind,
    TaxPeriod,
    TaxProfile,
)
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts, by_key, filed_only_if, form_name
from ledgerkit.providers.es.tax_forms.income import retentions
from ledgerkit.providers.es.tax_forms.income.declaration_types import withholding_outcome
from ledgerkit.providers.es.tax_forms.income.warnings import lower_complementary, omissions, warnings_where, with_choice
from ledgerkit.providers.es.tax_forms.income.withheld_sums import earlier_result, withheld_sums
from ledgerkit.providers.es.tax_forms.messages import IncomeFormMsg
from ledgerkit.providers.es.tax_forms.official_form import (
    MONTHS,
    QUARTERS,
    OfficialForm,
    files_by,
    profile_in,
)
from ledgerkit.providers.es.tax_forms.sheet import BoxFormula, Outcome, Sheet, Values
from ledgerkit.texts import text


@dataclass(frozen=True, kw_only=True)
class IncomeGroup:
    """Three boxes of one sort of income: payees, what they were paid, and what was withheld."""

    payees: str
    paid: str
    withheld: str
    kind: RetentionKind | None = None


def _group(first: int, kind: RetentionKind | None = None) -> IncomeGroup:
    payees, paid, withheld = (f"{number:02d}" for number in range(first, first + 3))
    return IncomeGroup(payees=payees, paid=paid, withheld=withheld, kind=kind)


GROUPS = (
    _group(1, RetentionKind.EMPLOYMENT),
    _group(4, RetentionKind.EMPLOYMENT_IN_KIND),
    _group(7, RetentionKind.PROFESSIONAL),
    _group(10),
    _group(13),
    _group(16),
    _group(19),
    _group(22),
    _group(25),
)
"""Groups without a kind are filled by hand: no document says so much."""

FORM_111 = "111"
KINDS = frozenset(group.kind for group in GROUPS if group.kind)

TOTAL, EARLIER, RESULT = "28", "29", "30"


def _boxes() -> Iterator[Box]:
    form = BoxTexts(FORM_111)
    for group in GROUPS:
        row, marks = form.row(group.payees), "s" if group.kind else ""
        boxes = (
            form.box(group.payees, name=text(IncomeFormMsg.BOX_PAYEES, row=row), decimals=0),
            form.box(group.paid, marks, name=text(IncomeFormMsg.BOX_PAID, row=row)),
            form.box(group.withheld, marks, name=text(IncomeFormMsg.BOX_WITHHELD, row=row)),
        )
        yield from (replace(box, row=row) for box in boxes)
    yield form.box(TOTAL)
    yield form.box(EARLIER)
    yield form.box(RESULT, "-")


BOXES: Mapping[str, Box] = by_key(_boxes())


class Form111(OfficialForm):
    """Quarterly, or monthly for large companies, declaration of what was withheld of wages and professional income."""

    code = FORM_111
    counts_sales = False
    name = form_name(FORM_111)
    reads = (FORM_111,)
    only_if = filed_only_if(FORM_111)
    period_codes = (*QUARTERS, *MONTHS)
    official_boxes = BOXES

    def is_due(self, profile: TaxProfile, period: TaxPeriod) -> bool:
        """Due by the length of its periods alone: no profile says that somebody withholds."""
        return files_by(profile_in(profile, period), period)

    def is_indicated(self, period: TaxPeriod, outline: BooksOutline) -> bool:
        return retentions.withholds({"111", "190"}, KINDS, period, outline)

    def outcome(self, boxes: Values, period: TaxPeriod) -> Outcome:  # noqa: ARG002 - the same in all
        return withholding_outcome(boxes[RESULT])

    def compute(self, form_input: FormInput) -> Computation:
        incomes = retentions.paid_incomes(form_input, self.code, {*KINDS, RetentionKind.OTHER})
        sums = withheld_sums(
            incomes.listed, {group.kind: (group.payees, group.paid, group.withheld) for group in GROUPS if group.kind}
        )
        earlier = earlier_result(form_input, self.code, RESULT)
        sheet = Sheet(boxes=BOXES, formulas=_formulas(earlier))
        others = (income.purchase.document_id for income in incomes.listed if income.kind is RetentionKind.OTHER)
        computation = sheet.compute(
            form_input,
            sums.contributions,
            lambda boxes: self.outcome(boxes, form_input.period),
            amounts=sums.counts,
            warnings=[
                *omissions(form_input.ledger, form_input.period.span),
                *incomes.warnings,
                *warnings_where((IncomeFormMsg.KIND_OTHER, others)),
                *sums.warnings,
                *lower_complementary(earlier, sheet.solve(sums.amounts, form_input.overrides)[TOTAL]),
            ],
        )
        return with_choice(computation, form_input.choice)


def _formulas(earlier: Decimal) -> dict[str, BoxFormula]:
    return {
        TOTAL: lambda boxes: sum((boxes[group.withheld] for group in GROUPS), ZERO),
        EARLIER: lambda _: earlier,
        RESULT: lambda boxes: boxes[TOTAL] - boxes[EARLIER],
    }
