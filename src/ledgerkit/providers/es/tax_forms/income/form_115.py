"""Form 115: income tax withheld from landlords of urban property.

Sources: RD 439/2007, arts. 100 and 108; record design of 2015.
"""

from collections.abc import Mapping

from ledgerkit.providers.api import BooksOutline, Box, Computation, FormInput, RetentionKind, TaxPeriod, TaxProfile
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts, by_key, filed_only_if, form_name
from ledgerkit.providers.es.tax_forms.income import retentions
from ledgerkit.providers.es.tax_forms.income.declaration_types import withholding_outcome
from ledgerkit.providers.es.tax_forms.income.warnings import lower_complementary, omissions, with_choice
from ledgerkit.providers.es.tax_forms.income.withheld_sums import earlier_result, withheld_sums
from ledgerkit.providers.es.tax_forms.official_form import (
    MONTHS,
    QUARTERS,
    OfficialForm,
    files_by,
    profile_in,
)
from ledgerkit.providers.es.tax_forms.sheet import Outcome, Sheet, Values

LANDLORDS, BASE, WITHHELD, EARLIER, RESULT = "01", "02", "03", "04", "05"

FORM_115 = "115"
_FORM = BoxTexts("115")
BOXES: Mapping[str, Box] = by_key(
    (
        _FORM.box(LANDLORDS, decimals=0),
        _FORM.box(BASE, "s"),
        _FORM.box(WITHHELD, "s"),
        _FORM.box(EARLIER),
        _FORM.box(RESULT, "-"),
    )
)


class Form115(OfficialForm):
    """Quarterly, or monthly for large companies, declaration of what was withheld of rents."""

    code = FORM_115
    counts_sales = False
    name = form_name(FORM_115)
    reads = (FORM_115,)
    only_if = filed_only_if(FORM_115)
    period_codes = (*QUARTERS, *MONTHS)
    official_boxes = BOXES

    def is_due(self, profile: TaxProfile, period: TaxPeriod) -> bool:
        """Due by the length of its periods alone: no profile says that somebody rents."""
        return files_by(profile_in(profile, period), period)

    def is_indicated(self, period: TaxPeriod, outline: BooksOutline) -> bool:
        return retentions.withholds({"115", "180"}, {RetentionKind.RENT}, period, outline)

    def outcome(self, boxes: Values, period: TaxPeriod) -> Outcome:  # noqa: ARG002 - the same in all
        return withholding_outcome(boxes[RESULT])

    def compute(self, form_input: FormInput) -> Computation:
        incomes = retentions.paid_incomes(form_input, self.code, {RetentionKind.RENT})
        sums = withheld_sums(incomes.listed, {RetentionKind.RENT: (LANDLORDS, BASE, WITHHELD)})
        earlier = earlier_result(form_input, self.code, RESULT)
        sheet = Sheet(
            boxes=BOXES,
            formulas={EARLIER: lambda _: earlier, RESULT: lambda boxes: boxes[WITHHELD] - boxes[EARLIER]},
        )
        total = sheet.solve(sums.amounts, form_input.overrides)[WITHHELD]
        computation = sheet.compute(
            form_input,
            sums.contributions,
            lambda boxes: self.outcome(boxes, form_input.period),
            amounts=sums.counts,
            warnings=[
                *omissions(form_input.ledger, form_input.period.span),
                *incomes.warnings,
                *sums.warnings,
                *lower_complementary(earlier, total),
            ],
        )
        return with_choice(computation, form_input.choice)
