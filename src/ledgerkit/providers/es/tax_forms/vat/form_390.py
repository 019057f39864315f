"""Form 390: the yearly summary of the VAT (RD 1624/1992, art. 71.7)."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType

from ledgerkit.providers.api import (
    Box,
    Computation,
    DateSpan,
    DeclarationWarning,
    FileInput,
    FormFile,
    FormInput,
    PurchaseFacts,
    ResultKind,
    TaxPeriod,
    TaxProfile,
)
from ledgerkit.providers.es.tax_forms import purchase_days
from ledgerkit.providers.es.tax_forms.form_texts import form_name
from ledgerkit.providers.es.tax_forms.messages import VatMsg
from ledgerkit.providers.es.tax_forms.official_form import MONTHS, QUARTERS, YEAR, OfficialForm, profile_in
from ledgerkit.providers.es.tax_forms.profile import Prorrata, SpanishTaxProfile, spanish
from ledgerkit.providers.es.tax_forms.sheet import Values, evaluate, refuse_unknown
from ledgerkit.providers.es.tax_forms.vat import cautions, files, prorrata, result_390
from ledgerkit.providers.es.tax_forms.vat.boxes import BOXES_390, boxes_of_design
from ledgerkit.providers.es.tax_forms.vat.reading import Reading, provisionally, read
from ledgerkit.providers.es.tax_forms.vat.result_303 import FORM_303
from ledgerkit.providers.es.tax_forms.vat.result_390 import FORM_390, FORMULAS, YearOfReturns
from ledgerkit.providers.es.tax_forms.vat.rules_303 import as_declared
from ledgerkit.providers.es.tax_forms.vat.rules_390 import issued_rule, received_rule


class Form390(OfficialForm):
    """Yearly summary: the rows of the year's 303s by rate, the turnover, and what became of the results."""

    code = FORM_390
    name = form_name(FORM_390)
    reads = (FORM_303,)
    period_codes = YEAR

    def boxes(self, period: TaxPeriod) -> Mapping[str, Box]:
        return boxes_of_design(FORM_390, period, BOXES_390)

    def is_due(self, profile: TaxProfile, period: TaxPeriod) -> bool:
        state = profile_in(profile, period)
        has_begun = state.started is None or state.started <= period.span.last
        return period.code in YEAR and has_begun and state.files_390

    def purchase_days(self, purchase: PurchaseFacts) -> Collection[date]:
        return purchase_days.of_vat(purchase)

    def ledger_span(self, period: TaxPeriod) -> DateSpan:
        """Return two years: operations of the year before that were not paid accrue at the end of this one."""
        return DateSpan(first=date(period.year - 1, 1, 1), last=period.span.last)

    def compute(self, form_input: FormInput) -> Computation:
        boxes = self.boxes(form_input.period)
        refuse_unknown(form_input.overrides, boxes)
        form_input = replace(form_input, ledger=as_declared(form_input.ledger, form_input.filed))
        profile = spanish(form_input.profile)
        rules = issued_rule(form_input.period), received_rule(form_input.period, provisionally(profile))
        reading = read(form_input.ledger, form_input.period.span, profile, *rules)
        returns = result_390.returns_of(form_input.previous, form_input.period)
        start = {**reading.sums.totals(), **_prorrata(form_input, profile, returns), **returns.boxes()}
        effective = evaluate(boxes, start, FORMULAS, form_input.overrides)
        evidence = {key: parts for key, parts in reading.sums.evidence().items() if key in boxes and parts}
        return Computation(
            computed=MappingProxyType(evaluate(boxes, start, FORMULAS, {})),
            effective=MappingProxyType(effective),
            evidence=MappingProxyType(evidence),
            output_tax=effective["47"],
            input_tax=effective["64"],
            result=effective["86"],
            result_kind=ResultKind.NONE,
            declaration_types=MappingProxyType({}),
            warnings=(
                *_warnings(form_input, profile, reading, returns, effective),
                *cautions.about_signs(effective, boxes),
            ),
            counted=frozenset(part.document_id for parts in evidence.values() for part in parts),
        )

    def render_file(self, content: FileInput) -> FormFile:
        return files.rendered_390(content)


def _prorrata(form_input: FormInput, profile: SpanishTaxProfile, returns: YearOfReturns) -> Values:
    """Return the boxes of the prorrata; the adjustment is that of the last return, or computed where that is absent."""
    state = profile.on(form_input.period.span.last)
    if state.prorrata is Prorrata.NONE:
        return {}
    operations = prorrata.operations_of_year(form_input.ledger, form_input.period, profile)
    boxes: dict[str, Decimal] = {
        "115": operations.total,
        "116": operations.with_right,
        "118": operations.percent,
    }
    declared = returns.adjustment()
    if declared is not None:
        boxes["522"] = declared
    elif state.prorrata is Prorrata.GENERAL:
        provisional = provisionally(profile)
        boxes["522"] = prorrata.adjustment(
            form_input.ledger, form_input.period, profile, provisional, operations.percent
        )
    return boxes


def _warnings(
    form_input: FormInput,
    profile: SpanishTaxProfile,
    reading: Reading,
    returns: YearOfReturns,
    effective: Values,
) -> list[DeclarationWarning]:
    state = profile.on(form_input.period.span.last)
    warnings = [*cautions.about_exempt_sales(form_input, state, effective["64"]), *reading.warnings()]
    warnings += cautions.about_documents(form_input.ledger, form_input.period.span)
    warnings += cautions.about_profile(state)
    warnings += cautions.about_investment_goods(form_input, state)
    missing = returns.missing(_expected(state, form_input.period))
    by_returns = result_390.result_by_returns(effective)
    if missing:
        warnings.append(cautions.warning(VatMsg.WARN_390_PERIOD_MISSING, missing=", ".join(missing)))
    elif by_returns != effective["86"]:
        warnings.append(cautions.warning(VatMsg.WARN_390_DIFFERS, yearly=effective["86"], periods=by_returns))
    return warnings


def _expected(state: SpanishTaxProfile, year: TaxPeriod) -> list[str]:
    """Return the periods of which the year has a return, from the start of the activity on."""
    codes = MONTHS if state.files_monthly else QUARTERS
    started = state.started or date.min
    return [code for code in codes if TaxPeriod(year.year, code).span.last >= started]
