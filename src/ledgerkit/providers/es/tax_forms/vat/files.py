"""Files of forms 303 and 390: what stands in them beside the boxes."""

from collections.abc import Sequence

from stdnum import iban

from ledgerkit.money import ZERO
from ledgerkit.providers.api import FileInput, FormFile
from ledgerkit.providers.es.tax_forms import layouts, official_file
from ledgerkit.providers.es.tax_forms.official_file import declarant_id, declarant_name
from ledgerkit.providers.es.tax_forms.profile import Activity, Prorrata, SpanishTaxProfile, spanish
from ledgerkit.providers.es.tax_forms.vat.result_303 import (
    DEBIT,
    FORM_303,
    NOTHING,
    REFUND,
    REFUND_ABROAD,
    allowed_types,
)
from ledgerkit.providers.es.tax_forms.vat.result_390 import FORM_390
from ledgerkit.providers.es.tax_ids import MEMBER_STATES

CRITERION = "criterion"
"""Reason of a rectification: a disagreement with a criterion of the administration. Any other is a correction."""

_YES, _NOT_EXEMPT, _WITHOUT_VOLUME, _NOT_LAST_PERIOD = "1", "2", "2", "0"
_STATE_PERCENT = "65"
_WITH_ACCOUNT = frozenset({DEBIT, REFUND, REFUND_ABROAD})

_Values = dict[str, layouts.Value]


def rendered_303(content: FileInput) -> FormFile:
    """Return the file of form 303. Raises IncompleteDeclarationError."""
    state = spanish(content.profile).on(content.period.span.last)
    refundable = content.period.is_last_of_year or state.monthly_refunds
    types = allowed_types(content.boxes, content.period, refundable=refundable)
    letter = content.declaration_type or types[0]
    values = {
        **_of_both_forms(FORM_303, content, state, purchases_by_cash="74"),
        "declaration_type": letter,
        "surname_name": declarant_name(content.owner, state).whole,
        "no_activity": letter == NOTHING and not _shows_activity(content),
        **_account(content, state, letter),
        **_last_period(content, state),
        **_amendment(content),
    }
    if content.boxes.get("112"):
        values["fuel_advance_payment"] = _YES
    problems = official_file.choice_problems(content, types)
    return official_file.written(FORM_303, content, values, problems=problems)


def rendered_390(content: FileInput) -> FormFile:
    """Return the file of form 390. Raises IncompleteDeclarationError."""
    state = spanish(content.profile).on(content.period.span.last)
    name = declarant_name(content.owner, state)
    values = {
        **_of_both_forms(FORM_390, content, state, purchases_by_cash="656"),
        "surnames": name.surnames,
        "first_name": name.first_name,
        **_activities(state.activities),
        **{f"activity_{place}": activity.description for place, activity in enumerate(state.activities, start=1)},
        **_yearly_prorrata(content, state),
    }
    if content.amends is not None:
        values |= {"substitute": True, "previous_receipt": content.amends.receipt_number}
    return official_file.written(FORM_390, content, values)


def _of_both_forms(form: str, content: FileInput, state: SpanishTaxProfile, *, purchases_by_cash: str) -> _Values:
    """Return the boxes that the form's file holds, the declarant, and the marks of its regimes.

    `purchases_by_cash` is the box of purchases from vendors under cash accounting.
    """
    official = layouts.nearest_fields(form, content.period)
    return {
        **{key: amount for key, amount in content.boxes.items() if key in official},
        "tax_id": declarant_id(content.owner),
        "monthly_refund_register": state.monthly_refunds,
        "cash_accounting": state.cash_accounting,
        "cash_accounting_recipient": not state.cash_accounting and bool(content.boxes.get(purchases_by_cash, ZERO)),
    }


def _activities(listed: Sequence[Activity]) -> _Values:
    """Return the codes and headings of the activities, the main one first."""
    places = list(enumerate(listed, start=1))
    codes: _Values = {f"activity_code_{place}": activity.kind.value for place, activity in places}
    return codes | {f"iae_heading_{place}": activity.iae or "" for place, activity in places}


def _shows_activity(content: FileInput) -> bool:
    return any(amount for key, amount in content.boxes.items() if key != _STATE_PERCENT)


def _account(content: FileInput, state: SpanishTaxProfile, letter: str) -> _Values:
    if letter not in _WITH_ACCOUNT or not content.iban:
        return {}
    account: _Values = {"iban": iban.compact(content.iban), "sepa_mark": sepa_mark(content.iban)}
    bank = state.bank_abroad
    if letter != REFUND_ABROAD or bank is None:
        return account
    return account | {
        "swift_bic": bank.swift,
        "bank_name": bank.name,
        "bank_address": bank.address,
        "bank_city": bank.city,
        "bank_country": bank.country,
    }


def sepa_mark(account: str) -> str:
    """Return the mark of the payment area of a bank account (IBAN).

    Source: AEAT, record design of model 303, page DID00, note 2: 1 Spain, 2 European Union (SEPA), 3 other countries.
    """
    country = account.strip()[:2].upper()
    if country == "ES":
        return "1"
    return "2" if country in MEMBER_STATES else "3"


def _last_period(content: FileInput, state: SpanishTaxProfile) -> _Values:
    """Return the flags on form 390 and, in the last period, the activities and the kind of prorrata."""
    if not content.period.is_last_of_year:
        return {"annual_summary_exemption": _NOT_LAST_PERIOD, "volume_not_zero": _NOT_LAST_PERIOD}
    if state.files_390:
        flags: _Values = {"annual_summary_exemption": _NOT_EXEMPT, "volume_not_zero": _NOT_LAST_PERIOD}
    else:
        volume = _YES if content.boxes.get("88") else _WITHOUT_VOLUME
        flags = {"annual_summary_exemption": _YES, "volume_not_zero": volume, **_activities(state.activities)}
    return flags | _prorrata(content, state)


def _prorrata(content: FileInput, state: SpanishTaxProfile) -> _Values:
    if state.prorrata is Prorrata.NONE or "501" not in content.boxes:
        return {}
    main = _main_activity(state)
    return {"500": _cnae(FORM_303, content, main, "500"), "503": _prorrata_letter(state)}


def _yearly_prorrata(content: FileInput, state: SpanishTaxProfile) -> _Values:
    if state.prorrata is Prorrata.NONE:
        return {}
    main = _main_activity(state)
    return {
        "prorata_1_activity": "" if main is None else main.description,
        "114": _cnae(FORM_390, content, main, "114"),
        "117": _prorrata_letter(state),
    }


def _main_activity(state: SpanishTaxProfile) -> Activity | None:
    return next((activity for activity in state.activities if activity.cnae), None)


def _cnae(form: str, content: FileInput, activity: Activity | None, box: str) -> str:
    """Return the CNAE of an activity, cut at the length of its box."""
    cnae = activity.cnae if activity and activity.cnae else ""
    return cnae[: layouts.nearest_fields(form, content.period)[box].length]


def _prorrata_letter(state: SpanishTaxProfile) -> str:
    return "G" if state.prorrata is Prorrata.GENERAL else "E"


def _amendment(content: FileInput) -> _Values:
    """Return what says that the return replaces another; before September 2024 it was a complementary one."""
    if content.amends is None:
        return {}
    receipt: _Values = {"previous_receipt": content.amends.receipt_number}
    if "rectifying" not in layouts.nearest_fields(FORM_303, content.period):
        return {"complementary": True, **receipt}
    by_criterion = content.amends.reason == CRITERION
    return {"rectifying": True, "reason_criterion": by_criterion, "reason_correction": not by_criterion, **receipt}
