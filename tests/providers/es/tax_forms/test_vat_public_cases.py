"""Public worked cases of form 303, `pub01` to `pub08` of the reference material beside the project."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from vat_documents import CLIENT, IRISH, bought, compute, credit_note, filled, line, purchase, sale

from ledgerkit.providers.api import Assessment, PurchaseKind, TaxCategory, TaxPeriod
from ledgerkit.providers.es.tax_forms.vat.form_303 import Form303

FOLDER = Path("spain") / "tax-cases"


def issued(case):
    for document in case["invoices"]:
        category = TaxCategory(document.get("operation", "standard"))
        lines = [
            line(one["base"], one["vat_rate"], one["vat"], category=category, surcharge=one.get("surcharge_rate"))
            for one in document["lines"]
        ]
        kind = credit_note if document.get("rectifying") else sale
        retention = Decimal(document.get("retention", "0.00"))
        yield kind(*lines, document_id=document["id"], on=document["date"], retention=retention)


def received(case):
    for document in case["expenses"]:
        lines = [
            bought(
                one["base"],
                one["vat_rate"],
                one.get("deductible_pct", 100),
                tax=one["vat"],
                investment_good=document.get("investment", False),
            )
            for one in document["lines"]
        ]
        yield purchase(
            *lines,
            document_id=document["id"],
            on=document["date"],
            kind=PurchaseKind.CREDIT_NOTE if document.get("rectifying") else PurchaseKind.INVOICE,
            assessment=Assessment(document.get("operation", "vendor")),
            vendor=IRISH if "vendor_vat" in document else CLIENT,
        )


@pytest.fixture
def public_case(request, shared):
    return json.loads((shared / FOLDER / f"{request.param}.json").read_text())


NAMES = [
    "pub01_303_basic",
    "pub02_303_rates",
    "pub03_303_credit_note",
    "pub04_303_intra_eu_service",
    "pub05_303_reverse_charge_both",
    "pub06_303_investment_car_50",
    "pub07_303_compensation",
    "pub08_303_surcharge",
]


@pytest.mark.parametrize("public_case", NAMES, indirect=True)
def test_a_public_case_gives_its_boxes_and_no_other(public_case):
    period = TaxPeriod(public_case["year"], f"Q{public_case['period'][0]}")
    overrides = {box: Decimal(amount) for box, amount in public_case["params"].items()}

    computation = compute(Form303(), period, [*issued(public_case), *received(public_case)], overrides=overrides)

    assert filled(computation.effective) | {"65": str(computation.effective["65"])} == public_case["expected"]


def test_there_is_no_further_public_case(shared):
    assert sorted(path.stem for path in (shared / FOLDER).glob("pub*_303_*.json")) == NAMES
