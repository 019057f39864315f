"""File of form 303: what stands in it beside the boxes."""

from stdnum import iban

from ledgerkit.money import ZERO
from ledgerkit.providers.api import FileInput, FormFile
from ledgerkit.providers.es.tax_forms import layouts, official_design, official_file
from ledgerkit.providers.es.tax_forms.declarant import declarant_id, declarant_name
from ledgerkit.providers.es.tax_forms.profile import Prorrata, SpanishTaxProfile, spanish
from ledgerkit.providers.es.tax_forms.vat import files
from ledgerkit.providers.es.tax_forms.vat.result_303 import (
    DEBIT,
    FORM_303,
    NOTHING,
    REFUND,
    REFUND_ABROAD,
    allowed_types,
)

CORRECTION, CRITERION = "correction", "criterion"
"""Reasons of a rectification: any, or a disagreement with a criterion of the administration."""

_YES, _NOT_EXEMPT, _WITHOUT_VOLUME, _NOT_LAST_PERIOD = "1", "2", "2", "0"
_STATE_PERCENT = "65"
_WITH_ACCOUNT = frozenset({DEBIT, REFUND, REFUND_ABROAD})


def rendered(content: FileInput) -> FormFile:
    """Return the file. Raises IncompleteDeclarationError."""
    state = spanish(content.profile).on(content.period.span.last)
    refundable = content.period.is_last_of_year or state.monthly_refunds
    types = allowed_types(content.boxes, content.period, refundable=refundable)
    letter = content.declaration_type or types[0]
    values: dict[str, layouts.Value] = {
        **files.amounts(FORM_303, content),
        "declaration_type": letter,
        "tax_id": declarant_id(content.owner),
        "surname_name": declarant_name(content.owner, state).whole,
        "monthly_refund_register": state.monthly_refunds,
        "cash_accounting": state.cash_accounting,
        "cash_accounting_recipient": not state.cash_accounting and bool(content.boxes.get("74", ZERO)),
        "no_activity": letter == NOTHING and not _shows_activity(content),
        **_account(content, state, letter),
        **_last_period(content, state),
        **_amendment(content),
    }
    if content.boxes.get("112"):
        values["fuel_advance_payment"] = _YES
    problems = official_file.choice_problems(content, types)
    return official_file.written(FORM_303, content, values, problems=problems)


def _shows_activity(content: FileInput) -> bool:
    return any(amount for key, amount in content.boxes.items() if key != _STATE_PERCENT)


def _account(content: FileInput, state: SpanishTaxProfile, letter: str) -> dict[str, layouts.Value]:
    if letter not in _WITH_ACCOUNT or not content.iban:
        return {}
    account: dict[str, layouts.Value] = {
        "iban": iban.compact(content.iban),
        "sepa_mark": layouts.sepa_mark(content.iban),
    }
    return account | _bank_abroad(state) if letter == REFUND_ABROAD else account


def _bank_abroad(state: SpanishTaxProfile) -> dict[str, layouts.Value]:
    bank = state.bank_abroad
    if bank is None:
        return {}
    return {
        "swift_bic": bank.swift,
        "bank_name": bank.name,
        "bank_address": bank.address,
        "bank_city": bank.city,
        "bank_country": bank.country,
    }


def _last_period(content: FileInput, state: SpanishTaxProfile) -> dict[str, layouts.Value]:
    """Return the flags on form 390 and, in the last period, the activities and the kind of prorrata."""
    if not content.period.is_last_of_year:
        return {"annual_summary_exemption": _NOT_LAST_PERIOD, "volume_not_zero": _NOT_LAST_PERIOD}
    if state.files_390:
        flags: dict[str, layouts.Value] = {
            "annual_summary_exemption": _NOT_EXEMPT,
            "volume_not_zero": _NOT_LAST_PERIOD,
        }
    else:
        volume = _YES if content.boxes.get("88") else _WITHOUT_VOLUME
        flags = {"annual_summary_exemption": _YES, "volume_not_zero": volume, **files.activities(state.activities)}
    return flags | _prorrata(content, state)


def _prorrata(content: FileInput, state: SpanishTaxProfile) -> dict[str, layouts.Value]:
    if state.prorrata is Prorrata.NONE or "501" not in content.boxes:
        return {}
    cnae = next((activity.cnae for activity in state.activities if activity.cnae), "")
    length = official_design.fields(FORM_303, content.period)["500"].length
    return {"500": cnae[:length], "503": "G" if state.prorrata is Prorrata.GENERAL else "E"}


def _amendment(content: FileInput) -> dict[str, layouts.Value]:
    """Return what says that the return replaces another; before September 2024 it was a complementary one."""
    if content.amends is None:
        return {}
    receipt = {"previous_receipt": content.amends.receipt_number}
    if "rectifying" not in official_design.fields(FORM_303, content.period):
        return {"complementary": True, **receipt}
    by_criterion = content.amends.reason == CRITERION
    return {"rectifying": True, "reason_criterion": by_criterion, "reason_correction": not by_criterion, **receipt}
