"""Days by which each form counts a purchase: a filed declaration of another day lacks nothing."""

from datetime import date
from decimal import Decimal

import pytest

from ledgerkit.providers.api import Assessment, Party, PurchaseFacts, PurchaseKind, PurchaseTax, RetentionKind
from ledgerkit.providers.es.tax_forms import FORMS

ISSUED, RECEIVED, DEDUCTED, PAID = (date(2026, month, 1) for month in (2, 5, 8, 11))
SOL = Party(name="Papelería Sol, S.L.", tax_id="B29805314", country="ES")
GERMAN = Party(name="Berlin GmbH", tax_id="DE811907980", country="DE")


def facts(rate="21", deductible="21", **fields):
    tax = PurchaseTax(
        rate=Decimal(rate),
        base=Decimal(100),
        tax=Decimal(rate),
        deductible_base=Decimal(100),
        deductible_tax=Decimal(deductible),
    )
    usual = {
        "buyer": SOL,
        "vendor": SOL,
        "kind": PurchaseKind.INVOICE,
        "assessment": Assessment.VENDOR,
        "taxes": (tax,),
        "issue_date": ISSUED,
        "operation_date": None,
        "reception_date": RECEIVED,
        "deduction_date": DEDUCTED,
        "retention": Decimal(0),
        "income_tax_percent": Decimal(100),
        "category": "other",
        "paid_on": PAID,
    }
    return PurchaseFacts(**{**usual, **fields})


PROFESSIONAL = {"retention": Decimal(15), "category": "professional"}
RENT = {"retention": Decimal(19), "retention_kind": RetentionKind.RENT}
WAGES = {"kind": PurchaseKind.NO_INVOICE, "retention_kind": RetentionKind.EMPLOYMENT}
GOODS = {"assessment": Assessment.INTRA_EU_GOODS, "vendor": GERMAN}


@pytest.mark.parametrize(
    ("fields", "days"),
    [
        ({}, {"303": {DEDUCTED}, "390": {DEDUCTED}, "130": {RECEIVED}, "347": {ISSUED}}),
        ({"deductible": "0"}, {"130": {RECEIVED}, "347": {ISSUED}}),
        ({"income_tax_percent": Decimal(0)}, {"303": {DEDUCTED}, "390": {DEDUCTED}, "347": {ISSUED}}),
        ({"rate": "19", "vendor": GERMAN}, {"130": {RECEIVED}, "347": {ISSUED}}),
        (GOODS, {"303": {ISSUED, DEDUCTED}, "390": {ISSUED, DEDUCTED}, "130": {RECEIVED}, "349": {ISSUED}}),
        (PROFESSIONAL, {"303": {DEDUCTED}, "390": {DEDUCTED}, "130": {RECEIVED}, "111": {PAID}, "190": {PAID}}),
        (RENT, {"303": {DEDUCTED}, "390": {DEDUCTED}, "130": {RECEIVED}, "115": {PAID}, "180": {PAID}}),
        ({**PROFESSIONAL, "paid_on": None}, {"303": {DEDUCTED}, "390": {DEDUCTED}, "130": {RECEIVED}}),
        (WAGES, {"130": {RECEIVED}, "111": {PAID}, "190": {PAID}}),
    ],
)
def test_each_form_counts_by_its_own_day(fields, days):
    purchase = facts(**fields)

    counted = {form.code: set(form.purchase_days(purchase)) for form in FORMS}

    assert {code: counts for code, counts in counted.items() if counts} == days
