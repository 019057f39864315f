"""Form 130: instalment of income tax of a freelancer in direct estimation, cumulative from January.

Sources: Ley 35/2006, art. 99.7; RD 439/2007, arts. 109 to 112; record design of 2015; AEAT's table of rules.
"""

from collections.abc import Collection, Iterator
from datetime import date
from decimal import Decimal

from ledgerkit.money import ZERO, round_cents
from ledgerkit.providers.api import (
    Computation,
    DateSpan,
    DeclarationWarning,
    DocumentKind,
    FormInput,
    PurchaseFacts,
    Sale,
    TaxPeriod,
    TaxProfile,
)
from ledgerkit.providers.es.tax_forms import purchase_days
from ledgerkit.providers.es.tax_forms.form_texts import form_name
from ledgerkit.providers.es.tax_forms.income.declaration_types import instalment_outcome
from ledgerkit.providers.es.tax_forms.income.deductible_costs import DeductibleCosts, deductible_costs
from ledgerkit.providers.es.tax_forms.income.instalments import (
    BOXES,
    COSTS,
    FARM_INCOME,
    FARM_WITHHELD,
    INCOME,
    RESULT,
    TOTAL,
    WITHHELD,
    EarlierInstalments,
    earlier_instalments,
    formulas,
    is_reduced,
    low_income_reduction,
)
from ledgerkit.providers.es.tax_forms.income.warnings import lower_complementary, omissions, warnings_where, with_choice
from ledgerkit.providers.es.tax_forms.messages import IncomeFormMsg, VatMsg
from ledgerkit.providers.es.tax_forms.official_form import QUARTERS, OfficialForm, profile_in
from ledgerkit.providers.es.tax_forms.profile import (
    ActivityKind,
    EstimationMode,
    PersonKind,
    Prorrata,
    SpanishTaxProfile,
    spanish,
)
from ledgerkit.providers.es.tax_forms.records import recovers_vat_only
from ledgerkit.providers.es.tax_forms.sheet import Contribution, Outcome, Sheet, Values, sums, without_negative_boxes
from ledgerkit.providers.es.tax_forms.vat import prorrata
from ledgerkit.providers.es.tax_forms.vat.cautions import warning
from ledgerkit.providers.es.tax_forms.vat.reading import provisionally
from ledgerkit.texts import Joined

_WITHOUT_INSTALMENT = frozenset({ActivityKind.LETTING, ActivityKind.NONE})
"""Letting is income of capital; without an economic activity there is no instalment."""

_FARMING = frozenset(
    {
        ActivityKind.LIVESTOCK,
        ActivityKind.FARMING,
        ActivityKind.INTENSIVE_LIVESTOCK,
        ActivityKind.FORESTRY,
        ActivityKind.SHELLFISH,
        ActivityKind.FISHING,
    }
)
"""Activities that pay by their income of the quarter, without costs (RD 439/2007, art. 110.1.c)."""

_KEEPING_VAT = frozenset({"18", "19"})
"""Regimes whose sellers do not pay what they charge to the authority (Ley 37/1992, arts. 130 and 154)."""


class Form130(OfficialForm):
    """Quarterly instalment of a natural person with an economic activity in direct estimation."""

    code = "130"
    name = form_name("130")
    reads = ("130",)
    is_cumulative = True
    period_codes = QUARTERS
    official_boxes = BOXES

    def is_due(self, profile: TaxProfile, period: TaxPeriod) -> bool:
        """Due by a natural person in direct estimation, unless most of the income bore retention (art. 109.1)."""
        state = profile_in(profile, period)
        return (
            state.person is PersonKind.NATURAL_PERSON
            and state.estimation is not EstimationMode.MODULES
            and not state.income_mostly_withheld
            and _is_active(state, period.span)
        )

    def purchase_days(self, purchase: PurchaseFacts) -> Collection[date]:
        return purchase_days.of_costs(purchase)

    def ledger_span(self, period: TaxPeriod) -> DateSpan:
        """From January, because the boxes are cumulative."""
        return DateSpan(first=date(period.year, 1, 1), last=period.span.last)

    def outcome(self, boxes: Values, period: TaxPeriod) -> Outcome:
        return instalment_outcome(boxes[RESULT], last_of_year=period.is_last_of_year)

    def compute(self, form_input: FormInput) -> Computation:
        profile = profile_in(form_input.profile, form_input.period)
        span = self.ledger_span(form_input.period)
        earlier = earlier_instalments(form_input, profile)
        costs = deductible_costs(form_input.ledger, span, spanish(form_input.profile))
        adjustment = _prorrata_adjustment(form_input, profile)
        counted, negative = without_negative_boxes([*_of_costs(costs, profile), *_of_sales(form_input, profile, span)])
        amounts = sums(counted)
        without_provision = max(amounts.get(COSTS, ZERO) - adjustment, ZERO)
        sheet = Sheet(boxes=BOXES, formulas=formulas(profile, span.last, without_provision, earlier))
        solved = sheet.solve(amounts, form_input.overrides)
        computation = sheet.compute(
            form_input,
            counted,
            lambda boxes: self.outcome(boxes, form_input.period),
            warnings=[
                *omissions(form_input.ledger, span),
                *costs.warnings,
                *warnings_where(
                    (IncomeFormMsg.BELOW_ZERO, negative),
                    (IncomeFormMsg.VAT_ONLY, _recovering_vat(form_input, span)),
                ),
                *_of_adjustment(adjustment),
                *_of_profile(profile, form_input.period),
                *_of_earlier(earlier),
                *lower_complementary(earlier.same_period, max(solved[TOTAL], ZERO)),
            ],
        )
        return with_choice(computation, form_input.choice)


def income_day(sale: Sale) -> date:
    """Return the day on which a sale is income: of the operation if it is stated; of a credit note, its own."""
    if sale.kind is DocumentKind.CREDIT_NOTE:
        return sale.issue_date
    return sale.operation_date or sale.issue_date


def _of_costs(costs: DeductibleCosts, profile: SpanishTaxProfile) -> Iterator[Contribution]:
    """Yield the deductible costs; none for a taxpayer who only farms, and pays by income."""
    for cost in () if _farms_only(profile) else costs.listed:
        yield Contribution(box=COSTS, document_id=cost.document_id, amount=cost.amount)


def _of_sales(form_input: FormInput, profile: SpanishTaxProfile, year: DateSpan) -> Iterator[Contribution]:
    """Yield income and retention since January; for a taxpayer who only farms those of the quarter, in other boxes."""
    farms = _farms_only(profile)
    span = form_input.period.span if farms else year
    income_box, withheld_box = (FARM_INCOME, FARM_WITHHELD) if farms else (INCOME, WITHHELD)
    for sale in form_input.ledger.sales:
        if income_day(sale) in span:
            if not recovers_vat_only(sale):
                income = _income(sale, with_vat=profile.surcharge_regime)
                yield Contribution(box=income_box, document_id=sale.document_id, amount=income)
            yield Contribution(box=withheld_box, document_id=sale.document_id, amount=sale.retention)


def _recovering_vat(form_input: FormInput, year: DateSpan) -> Iterator[str]:
    """Yield the corrections of what is not paid: they are no less income, and the loss is a cost of its own."""
    for sale in form_input.ledger.sales:
        if recovers_vat_only(sale) and income_day(sale) in year:
            yield sale.document_id


def _income(sale: Sale, *, with_vat: bool) -> Decimal:
    """Return the income of a sale. The VAT that a seller keeps is income too: under surcharge and farming regimes."""
    income = sum((line.base + (line.untaxed or ZERO) for line in sale.taxes), ZERO)
    income_vat = (line.amount for line in sale.taxes if with_vat or line.regime_key in _KEEPING_VAT)
    return income + sum(income_vat, ZERO)


def _prorrata_adjustment(form_input: FormInput, state: SpanishTaxProfile) -> Decimal:
    """Return box 44 of the year's last 303, which is less cost in the last quarter; zero in the others."""
    if state.prorrata is not Prorrata.GENERAL or not form_input.period.is_last_of_year or _farms_only(state):
        return ZERO
    profile, year = spanish(form_input.profile), TaxPeriod(form_input.period.year, "Y")
    percent = prorrata.operations_of_year(form_input.ledger, year, profile).percent
    return round_cents(prorrata.adjustment(form_input.ledger, year, profile, provisionally(profile), percent))


def _of_adjustment(adjustment: Decimal) -> Iterator[DeclarationWarning]:
    if adjustment:
        yield warning(IncomeFormMsg.PRORRATA_ADJUSTMENT, amount=-adjustment)


def _of_profile(profile: SpanishTaxProfile, period: TaxPeriod) -> Iterator[DeclarationWarning]:
    if is_reduced(profile):
        yield warning(IncomeFormMsg.REDUCED_PERCENT)
    if profile.person is PersonKind.COMPANY:
        yield warning(IncomeFormMsg.COMPANY_INSTALMENT)
    if profile.prorrata is Prorrata.GENERAL and profile.provisional_percent is None:
        yield warning(VatMsg.WARN_PRORRATA_PERCENT)
    if low_income_reduction(profile, period.year) is None:
        yield warning(IncomeFormMsg.NET_INCOME_UNKNOWN)
    if any(activity.kind in _FARMING for activity in profile.activities) and not _farms_only(profile):
        yield warning(IncomeFormMsg.FARMING_MIXED)


def _of_earlier(earlier: EarlierInstalments) -> Iterator[DeclarationWarning]:
    if earlier.missing:
        yield warning(IncomeFormMsg.PREVIOUS_MISSING, periods=Joined(earlier.missing))
    if earlier.drafts:
        yield warning(IncomeFormMsg.PREVIOUS_DRAFT, periods=Joined(earlier.drafts))


def _farms_only(profile: SpanishTaxProfile) -> bool:
    return bool(profile.activities) and all(activity.kind in _FARMING for activity in profile.activities)


def _is_active(profile: SpanishTaxProfile, span: DateSpan) -> bool:
    activities = profile.activities
    return not activities or any(
        activity.kind not in _WITHOUT_INSTALMENT
        and (activity.since is None or activity.since <= span.last)
        and (activity.until is None or activity.until >= span.first)
        for activity in activities
    )
