"""Doubts about the tax of purchases: rates that the IVA does not have, and VAT of other countries."""

from datetime import date
from decimal import Decimal

import pytest

from ledgerkit.providers.api import Assessment, Party, PurchaseFacts, PurchaseKind, PurchaseTax
from ledgerkit.providers.es.purchase_doubts import FOREIGN_VAT_DEDUCTED, PURCHASE_RATE_UNKNOWN, doubts

BUYER = Party(name="Ana Ruiz", tax_id="12345678Z", country="ES", postal_code="28001")
SOL = Party(name="Papelería Sol, S.L.", tax_id="B29805314", country="ES")
GERMAN = Party(name="Berlin GmbH", tax_id="DE811907980", country="DE")
NAMELESS = Party(name="Berlin GmbH", tax_id=None, country="DE")
REGISTERED = Party(name="Berlin GmbH", tax_id="ESN0012345E", country="DE")
OF_TWO_PLACES = Party(name="Acme Inc", tax_id="DE811907980", country="US")
AMERICAN = Party(name="Acme Inc", tax_id=None, country="US")
DAY = date(2026, 5, 27)


def line(rate, deductible=100):
    rate = Decimal(rate)
    return PurchaseTax(
        rate=rate,
        base=Decimal(100),
        tax=rate,
        deductible_base=Decimal(deductible),
        deductible_tax=rate * deductible / 100,
    )


def facts(vendor, *lines, **fields):
    usual = {
        "buyer": BUYER,
        "kind": PurchaseKind.INVOICE,
        "assessment": Assessment.VENDOR,
        "issue_date": DAY,
        "operation_date": None,
        "reception_date": DAY,
        "deduction_date": DAY,
        "retention": Decimal(0),
        "income_tax_percent": Decimal(100),
        "category": "other",
    }
    return PurchaseFacts(vendor=vendor, taxes=lines, **{**usual, **fields})


@pytest.mark.parametrize(
    ("vendor", "rate", "words"),
    [
        (GERMAN, "19", ["Berlin GmbH", "DE", "19 %", "intraEu", "deductiblePercent 0"]),
        (GERMAN, "21", ["21 %", "Spanish NIF"]),
        (NAMELESS, "21", ["intraEu"]),
        (OF_TWO_PLACES, "19", ["DE", "intraEu"]),
        (AMERICAN, "8", ["US", "reverseCharge", "importDua"]),
    ],
)
def test_vat_of_a_vendor_abroad_is_said_with_the_way_to_record_it(vendor, rate, words):
    [doubt] = doubts(facts(vendor, line(rate)))

    said = doubt.text.in_language("en")
    assert doubt.code == FOREIGN_VAT_DEDUCTED
    assert said.startswith(f"{FOREIGN_VAT_DEDUCTED}: ")
    assert [word for word in words if word not in said] == []


@pytest.mark.parametrize(
    ("vendor", "rate", "fields"),
    [
        (SOL, "19", {}),
        (SOL, "5", {}),
        (SOL, "7.5", {"issue_date": date(2024, 9, 30)}),
        (REGISTERED, "19", {}),
        (GERMAN, "19", {"assessment": Assessment.INTRA_EU_SERVICES}),
        (AMERICAN, "8", {"kind": PurchaseKind.IMPORT}),
    ],
)
def test_a_rate_that_the_iva_did_not_have_on_the_day_is_said_with_those_that_it_had(vendor, rate, fields):
    [doubt] = doubts(facts(vendor, line(rate), **fields))

    assert doubt.code == PURCHASE_RATE_UNKNOWN
    assert "21, 10, 4" in doubt.text.in_language("en")


@pytest.mark.parametrize(
    ("vendor", "lines", "fields"),
    [
        (SOL, [line(21), line(10), line(4), line(0)], {}),
        (SOL, [line("7.5")], {"operation_date": date(2024, 10, 1)}),
        (SOL, [line(18)], {"issue_date": date(2012, 5, 1)}),
        (SOL, [line(5)], {"kind": PurchaseKind.CREDIT_NOTE}),
        (SOL, [line(12)], {"regime_key": "02"}),
        (SOL, [line(7, deductible=0)], {}),
        (SOL, [line(19)], {"kind": PurchaseKind.NO_INVOICE}),
        (SOL, [line(7)], {"buyer": Party(name="Ana", tax_id=None, country="ES", postal_code="35001")}),
        (REGISTERED, [line(21)], {}),
        (GERMAN, [line(0)], {}),
        (GERMAN, [line(19, deductible=0)], {}),
        (GERMAN, [line(21)], {"assessment": Assessment.INTRA_EU_GOODS}),
        (AMERICAN, [line(21)], {"assessment": Assessment.REVERSE_CHARGE}),
        (AMERICAN, [line(21)], {"kind": PurchaseKind.IMPORT}),
    ],
)
def test_what_is_right_or_deducts_nothing_is_no_doubt(vendor, lines, fields):
    assert doubts(facts(vendor, *lines, **fields)) == ()
