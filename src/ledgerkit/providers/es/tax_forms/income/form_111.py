"""Form 111: income tax withheld from employees, professionals and others.

Sources: RD 439/2007, art. 108; record design of 2016; boxes as in the AEAT's instructions of the form.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType

from ledgerkit.money import ZERO
from ledgerkit.providers.api import Box, RetentionKind
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts, by_key, filed_only_if, form_name
from ledgerkit.providers.es.tax_forms.income.withheld_sums import WithholdingForm
from ledgerkit.providers.es.tax_forms.messages import IncomeFormMsg
from ledgerkit.providers.es.tax_forms.sheet import BoxFormula
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


class Form111(WithholdingForm):
    """Declaration of what was withheld of wages and professional income."""

    code = FORM_111
    name = form_name(FORM_111)
    reads = (FORM_111,)
    only_if = filed_only_if(FORM_111)
    official_boxes = BOXES
    kinds = KINDS | {RetentionKind.OTHER}
    boxes_of_kind = MappingProxyType(
        {group.kind: (group.payees, group.paid, group.withheld) for group in GROUPS if group.kind}
    )
    yearly = "190"
    total_box, earlier_box, result_box = TOTAL, EARLIER, RESULT

    def formulas(self, earlier: Decimal) -> dict[str, BoxFormula]:
        return {
            **super().formulas(earlier),
            TOTAL: lambda boxes: sum((boxes[group.withheld] for group in GROUPS), ZERO),
        }
