"""Form 111: income tax withheld from employees, professionals and others.

Sources: RD 439/2007, art. 108; record design of 2016; boxes as in the AEAT's instructions of the form.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    Box,
    Computation,
    FormInput,
    RetentionKind,
    TaxPeriod,
    TaxProfile,
)
from ledgerkit.providers.es.tax_forms.evaluation import Values
from ledgerkit.providers.es.tax_forms.income import retentions
from ledgerkit.providers.es.tax_forms.income.declaration_types import withholding_outcome
from ledgerkit.providers.es.tax_forms.income.messages import IncomeFormMsg
from ledgerkit.providers.es.tax_forms.income.warnings import lower_complementary, omissions, warnings_where, with_choice
from ledgerkit.providers.es.tax_forms.income.withheld_sums import earlier_result, withheld_sums
from ledgerkit.providers.es.tax_forms.official_form import (
    MONTHS,
    QUARTERS,
    OfficialForm,
    files_by,
    profile_in,
)
from ledgerkit.providers.es.tax_forms.sheet import BoxFormula, Outcome, Sheet


@dataclass(frozen=True, kw_only=True)
class IncomeGroup:
    """Three boxes of one sort of income: payees, what they were paid, and what was withheld."""

    payees: str
    paid: str
    withheld: str
    spanish: str
    english: str
    kind: RetentionKind | None = None


def _group(first: int, spanish: str, english: str, kind: RetentionKind | None = None) -> IncomeGroup:
    payees, paid, withheld = (f"{number:02d}" for number in range(first, first + 3))
    return IncomeGroup(payees=payees, paid=paid, withheld=withheld, spanish=spanish, english=english, kind=kind)


GROUPS = (
    _group(1, "Trabajo, en dinero", "Employment, in cash", RetentionKind.EMPLOYMENT),
    _group(4, "Trabajo, en especie", "Employment, in kind", RetentionKind.EMPLOYMENT_IN_KIND),
    _group(7, "Actividades económicas, en dinero", "Economic activities, in cash", RetentionKind.PROFESSIONAL),
    _group(10, "Actividades económicas, en especie", "Economic activities, in kind"),
    _group(13, "Premios, en dinero", "Prizes, in cash"),
    _group(16, "Premios, en especie", "Prizes, in kind"),
    _group(19, "Montes públicos, en dinero", "Public woodlands, in cash"),
    _group(22, "Montes públicos, en especie", "Public woodlands, in kind"),
    _group(25, "Derechos de imagen", "Image rights"),
)
"""Groups without a kind are filled by hand: no document says so much."""

FORM_111 = "111"
KINDS = frozenset(group.kind for group in GROUPS if group.kind)

TOTAL, EARLIER, RESULT = "28", "29", "30"


def _boxes() -> Iterator[Box]:
    for group in GROUPS:
        summed = group.kind is not None
        row = {"es": group.spanish, "en": group.english}
        yield Box(
            key=group.payees,
            name={"es": f"{group.spanish}: perceptores", "en": f"{group.english}: payees"},
            row=row,
            decimals=0,
        )
        yield Box(
            key=group.paid,
            name={"es": f"{group.spanish}: importe", "en": f"{group.english}: amount"},
            row=row,
            summed=summed,
        )
        yield Box(
            key=group.withheld,
            name={"es": f"{group.spanish}: retenciones", "en": f"{group.english}: withheld"},
            row=row,
            summed=summed,
        )
    yield Box(key=TOTAL, name={"es": "Suma de retenciones", "en": "Total withheld"})
    yield Box(key=EARLIER, name={"es": "Resultado de declaraciones anteriores", "en": "Result of earlier filings"})
    yield Box(key=RESULT, name={"es": "Resultado a ingresar", "en": "To pay"}, signed=True)


BOXES: Mapping[str, Box] = MappingProxyType({box.key: box for box in _boxes()})


class Form111(OfficialForm):
    """Quarterly, or monthly for large companies, declaration of what was withheld of wages and professional income."""

    code = FORM_111
    counts_sales = False
    name = MappingProxyType(
        {
            "es": "Retenciones de trabajo y actividades económicas",
            "en": "Withholdings of employment and economic activities",
        }
    )
    reads = (FORM_111,)
    only_if = MappingProxyType(
        {
            "es": "si pagas sueldos o profesionales con retención",
            "en": "if you pay wages or professionals with a retention",
        }
    )
    period_codes = (*QUARTERS, *MONTHS)
    official_boxes = BOXES

    def is_due(self, profile: TaxProfile, period: TaxPeriod) -> bool:
        """Due by the length of its periods alone: no profile says that somebody withholds."""
        return files_by(profile_in(profile, period), period)

    def outcome(self, boxes: Values, period: TaxPeriod) -> Outcome:  # noqa: ARG002 - the same in all
        return withholding_outcome(boxes[RESULT])

    def compute(self, form_input: FormInput) -> Computation:
        incomes = retentions.paid_incomes(form_input, self.code, {*KINDS, RetentionKind.OTHER})
        sums = withheld_sums(
            incomes.listed, {group.kind: (group.payees, group.paid, group.withheld) for group in GROUPS if group.kind}
        )
        earlier = earlier_result(form_input, self.code, RESULT)
        sheet = Sheet(boxes=BOXES, formulas=_formulas(earlier))
        others = (one.purchase.document_id for one in incomes.listed if one.kind is RetentionKind.OTHER)
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
