"""Form 303: the VAT return of a quarter or a month (Ley 37/1992, art. 164; RD 1624/1992, art. 71)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType

from ledgerkit.money import HUNDRED, ZERO
from ledgerkit.providers.api import (
    Box,
    Computation,
    DateSpan,
    DeclarationWarning,
    Evidence,
    FileInput,
    FormFile,
    FormInput,
    Purchase,
    PurchaseFacts,
    TaxPeriod,
    TaxProfile,
)
from ledgerkit.providers.es.tax_forms import purchase_days
from ledgerkit.providers.es.tax_forms.form_texts import form_name
from ledgerkit.providers.es.tax_forms.messages import UnboxedMsg, VatMsg
from ledgerkit.providers.es.tax_forms.official_form import MONTHS, QUARTERS, OfficialForm, files_by, profile_in
from ledgerkit.providers.es.tax_forms.profile import Prorrata, SpanishTaxProfile, spanish
from ledgerkit.providers.es.tax_forms.records import cash_accounting, received_rows
from ledgerkit.providers.es.tax_forms.sheet import Values, evaluate, refuse_unknown
from ledgerkit.providers.es.tax_forms.vat import cautions, files, prorrata, result_303
from ledgerkit.providers.es.tax_forms.vat.boxes import BOXES_303, boxes_of_design
from ledgerkit.providers.es.tax_forms.vat.reading import Reading, add_nothing, provisionally, read
from ledgerkit.providers.es.tax_forms.vat.result_303 import FORM_303, REFUNDS, TYPE_NAMES, Carried
from ledgerkit.providers.es.tax_forms.vat.rules_303 import (
    CLAIMED,
    as_declared,
    issued_rule,
    received_rule,
    turnover_rule,
)
from ledgerkit.texts import text

_YEARS_TO_CLAIM = 4


@dataclass(frozen=True, kw_only=True)
class _Return:
    """Return of a period while it is computed: its profile on the last day, and what was read for it."""

    form_input: FormInput
    profile: SpanishTaxProfile
    boxes: Mapping[str, Box]
    reading: Reading
    carried: Carried
    start: Values

    @property
    def refundable(self) -> bool:
        return self.form_input.period.is_last_of_year or self.profile.monthly_refunds

    def evaluate(self, overrides: Values, *, refund: bool) -> Mapping[str, Decimal]:
        formulas = result_303.formulas(refund=refund, amends=self.form_input.amends is not None)
        return MappingProxyType(evaluate(self.boxes, self.start, formulas, overrides))


class Form303(OfficialForm):
    """VAT return. Boxes are sums of the documents' stored amounts, rounded once."""

    code = FORM_303
    name = form_name(FORM_303)
    reads = (FORM_303,)
    claimable_later = CLAIMED

    period_codes = (*QUARTERS, *MONTHS)

    def boxes(self, period: TaxPeriod) -> Mapping[str, Box]:
        return boxes_of_design(FORM_303, period, BOXES_303)

    def is_due(self, profile: TaxProfile, period: TaxPeriod) -> bool:
        state = profile_in(profile, period)
        has_begun = state.started is None or state.started <= period.span.last
        return has_begun and files_by(state, period) and not state.surcharge_regime

    def is_claimable(self, purchase: Purchase, profile: TaxProfile, period: TaxPeriod) -> bool:
        """Four years from the right to deduct (LIVA, art. 99.Tres); not by cash accounting, where payments decide."""
        arose, first = purchase.operation_date or purchase.issue_date, period.span.first
        by_cash = any(row.by_cash for row in received_rows(purchase, cash_accounting(spanish(profile))))
        return not by_cash and arose >= first.replace(year=first.year - _YEARS_TO_CLAIM)

    def purchase_days(self, purchase: PurchaseFacts) -> Collection[date]:
        return purchase_days.of_vat(purchase)

    def ledger_span(self, period: TaxPeriod) -> DateSpan:
        """Return the period; the last one of a year reads the year before too: it settles what was not paid."""
        span = period.span
        return DateSpan(first=date(period.year - 1, 1, 1), last=span.last) if period.is_last_of_year else span

    def compute(self, form_input: FormInput) -> Computation:
        declared = replace(form_input, ledger=as_declared(form_input.ledger, form_input.filed))
        return _computed(_opened(declared, self.boxes(form_input.period)))

    def render_file(self, content: FileInput) -> FormFile:
        return files.rendered_303(content)


def _opened(form_input: FormInput, boxes: Mapping[str, Box]) -> _Return:
    refuse_unknown(form_input.overrides, boxes)
    profile = spanish(form_input.profile)
    state = profile.on(form_input.period.span.last)
    rules = issued_rule(form_input.period), received_rule(form_input.period, provisionally(profile))
    reading = read(form_input.ledger, form_input.period.span, profile, *rules)
    if form_input.period.is_last_of_year and not state.files_390:
        _add_turnover(form_input, profile, reading)
    carried = result_303.carried(form_input.previous, form_input.period, amends=form_input.amends is not None)
    start = {**reading.sums.totals(), **_from_elsewhere(carried), **_prorrata(form_input, profile)}
    return _Return(form_input=form_input, profile=state, boxes=boxes, reading=reading, carried=carried, start=start)


def _add_turnover(form_input: FormInput, profile: SpanishTaxProfile, reading: Reading) -> None:
    """Add the last page, which stands for form 390 where that is not filed."""
    year = TaxPeriod(form_input.period.year, "Y")
    turnover = read(form_input.ledger, year.span, profile, turnover_rule(year.span), add_nothing)
    reading.sums.add_all(turnover.sums)


def _from_elsewhere(carried: Carried) -> Values:
    return {
        "65": HUNDRED,
        "110": carried.pending,
        "70": max(ZERO, carried.settled),
        "109": max(ZERO, -carried.settled),
    }


def _prorrata(form_input: FormInput, profile: SpanishTaxProfile) -> Values:
    """Return the boxes of the last period: the year's operations, the final percent, and the adjustment by it."""
    state = profile.on(form_input.period.span.last)
    if state.prorrata is Prorrata.NONE or not form_input.period.is_last_of_year:
        return {}
    year = TaxPeriod(form_input.period.year, "Y")
    operations = prorrata.operations_of_year(form_input.ledger, year, profile)
    boxes = {"501": operations.total, "502": operations.with_right, "504": operations.percent}
    if state.prorrata is Prorrata.GENERAL:
        provisional = provisionally(profile)
        boxes["44"] = prorrata.adjustment(form_input.ledger, year, profile, provisional, operations.percent)
    return boxes


def _computed(opened: _Return) -> Computation:
    form_input = opened.form_input
    usual = opened.evaluate(form_input.overrides, refund=False)
    types = result_303.allowed_types(usual, form_input.period, refundable=opened.refundable)
    chosen_type = form_input.choice.declaration_type
    chosen = chosen_type if chosen_type in types else types[0]
    refund = chosen in REFUNDS and opened.refundable
    effective = opened.evaluate(form_input.overrides, refund=refund) if refund else usual
    evidence = _of_form(opened.reading.sums.evidence(), opened.boxes)
    return Computation(
        computed=opened.evaluate({}, refund=refund),
        effective=effective,
        evidence=evidence,
        output_tax=effective["27"],
        input_tax=effective["45"],
        result=effective["71"],
        result_kind=result_303.result_kind(effective["71"], chosen),
        declaration_types=MappingProxyType({letter: text(TYPE_NAMES[letter]) for letter in types}),
        warnings=tuple(_warnings(opened, effective, types)),
        counted=frozenset(part.document_id for parts in evidence.values() for part in parts),
    )


def _of_form(
    evidence: Mapping[str, tuple[Evidence, ...]], boxes: Mapping[str, Box]
) -> Mapping[str, tuple[Evidence, ...]]:
    """Return the evidence of the boxes that the design has, in its order."""
    return MappingProxyType({key: evidence[key] for key in boxes if evidence.get(key)})


def _warnings(opened: _Return, effective: Values, types: tuple[str, ...]) -> list[DeclarationWarning]:
    form_input = opened.form_input
    exempt = cautions.about_exempt_sales(form_input, opened.profile, effective["45"])
    warnings = [*exempt, *opened.reading.warnings({UnboxedMsg.EXEMPT} if exempt else ())]
    warnings += cautions.about_documents(form_input.ledger, form_input.period.span)
    warnings += cautions.about_profile(opened.profile)
    warnings += cautions.about_investment_goods(form_input, opened.profile)
    warnings += [*_about_previous(opened), *_about_amended(opened)]
    if form_input.choice.declaration_type not in {None, *types}:
        listed = ", ".join(types)
        letter = form_input.choice.declaration_type
        warnings.append(cautions.warning(VatMsg.WARN_TYPE_NOT_ALLOWED, letter=letter, allowed=listed))
    warnings += cautions.about_signs(effective, opened.boxes)
    return warnings


def _about_amended(opened: _Return) -> list[DeclarationWarning]:
    """Warn where the result of the return that this one amends, paid or refunded, is not known."""
    form_input = opened.form_input
    stated = opened.carried.amended is not None or not form_input.overrides.keys().isdisjoint({"70", "109"})
    return [] if form_input.amends is None or stated else [cautions.warning(VatMsg.WARN_NO_AMENDED)]


def _about_previous(opened: _Return) -> list[DeclarationWarning]:
    """Warn where what is pending from before is not known, or only from a draft."""
    form_input, before = opened.form_input, opened.carried.before
    started = opened.profile.started
    if "110" in form_input.overrides or (started is not None and started >= form_input.period.span.first):
        return []
    if before is None:
        return [cautions.warning(VatMsg.WARN_NO_PREVIOUS)]
    return [] if before.submitted else [cautions.warning(VatMsg.WARN_DRAFT_PREVIOUS)]
