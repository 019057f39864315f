"""VAT of other countries on purchases: no form deducts it, and each names the documents (Ley 37/1992, art. 92)."""

from dataclasses import replace

import pytest
from vat_documents import CLIENT, GERMAN, IRISH, SWISS, bought, compute, filled, purchase

from ledgerkit.providers.api import Assessment, PurchaseKind, TaxPeriod
from ledgerkit.providers.es.tax_forms.income.form_130 import Form130
from ledgerkit.providers.es.tax_forms.vat.form_303 import Form303
from ledgerkit.providers.es.tax_forms.vat.form_390 import Form390

Q1, YEAR = TaxPeriod(2026, "Q1"), TaxPeriod(2026, "Y")
DEDUCTIBLE = {"28", "29", "30", "31", "40", "41", "74", "75"}
REGISTERED_HERE = replace(GERMAN, tax_id="ESN0012345E")


def boxes_and_warnings(*documents, form=None, period=Q1, **profile):
    computation = compute(form or Form303(), period, documents, **profile)
    boxes = {box: value for box, value in filled(computation.effective).items() if box in DEDUCTIBLE}
    told = {one.code: one.document_ids for one in computation.warnings if "previous" not in one.code}
    return boxes, told


@pytest.mark.parametrize(
    ("vendor", "line"),
    [
        (GERMAN, bought("100", "19")),
        (IRISH, bought("100", "23")),
        (SWISS, bought("100", "8.1")),
        (GERMAN, bought("4000", "19", investment_good=True)),
        (GERMAN, bought("-100", "19")),
        (GERMAN, bought("100", "5")),
    ],
)
def test_vat_of_another_country_is_deducted_in_no_box_and_named(vendor, line):
    document = purchase(line, vendor=vendor)

    assert boxes_and_warnings(document) == ({}, {"vat_unboxed.foreign_vat": (document.document_id,)})


def test_a_credit_note_repeats_the_rate_of_another_year():
    note = purchase(bought("-100", "5"), vendor=GERMAN, kind=PurchaseKind.CREDIT_NOTE)

    boxes, told = boxes_and_warnings(note)

    assert (boxes, set(told)) == ({"40": "-100.00", "41": "-5.00"}, {"vat.warn_foreign_vendor"})


def test_the_lines_of_one_document_are_told_apart():
    document = purchase(bought("100", "19"), bought("200", "21"), vendor=GERMAN)

    boxes, told = boxes_and_warnings(document)

    assert boxes == {"28": "200.00", "29": "42.00"}
    assert set(told) == {"vat_unboxed.foreign_vat", "vat.warn_foreign_vendor"}


def test_a_document_that_deducts_nothing_asks_for_nothing():
    document = purchase(bought("100", "19", share=0), vendor=GERMAN)

    assert boxes_and_warnings(document) == ({}, {"vat_unboxed.no_deduction": (document.document_id,)})


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"vendor": GERMAN}, {"vat.warn_foreign_vendor"}),
        ({"vendor": REGISTERED_HERE}, set()),
        ({"vendor": CLIENT}, set()),
        ({"vendor": SWISS, "kind": PurchaseKind.IMPORT}, set()),
        ({"vendor": GERMAN, "assessment": Assessment.INTRA_EU_GOODS}, set()),
    ],
)
def test_a_rate_of_the_iva_is_counted_and_named_where_it_is_in_doubt(fields, said):
    computation = compute(Form303(), Q1, [purchase(bought("100"), **fields)])

    assert computation.input_tax == 21
    assert {one.code for one in computation.warnings if "previous" not in one.code} == said


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, {"vat.warn_purchase_rate"}),
        ({"assessment": Assessment.INTRA_EU_SERVICES, "vendor": GERMAN}, {"vat.warn_purchase_rate"}),
        ({"vendor": REGISTERED_HERE}, {"vat.warn_purchase_rate"}),
        ({"regime_key": "02"}, set()),
    ],
)
def test_a_rate_that_the_iva_does_not_have_is_counted_and_named(fields, said):
    computation = compute(Form303(), Q1, [purchase(bought("100", "19"), **fields)])

    assert computation.input_tax == 19
    assert {one.code for one in computation.warnings if "previous" not in one.code} == said


def test_cash_accounting_waits_for_no_vat_of_another_country():
    own = purchase(bought("100", "19"), vendor=GERMAN)
    of_vendor = purchase(bought("100", "19"), vendor=GERMAN, regime_key="07")

    assert boxes_and_warnings(own, of_vendor, cash_accounting=True)[0] == {}


def test_the_return_of_the_year_has_it_in_no_box():
    document = purchase(bought("100", "19"), vendor=GERMAN)

    computation = compute(Form390(), YEAR, [document])

    assert not any(computation.evidence.values())
    assert "vat_unboxed.foreign_vat" in {one.code for one in computation.warnings}


def test_it_is_a_cost_of_income_tax():
    here, abroad = purchase(bought("100")), purchase(bought("100", "19"), vendor=GERMAN)

    assert compute(Form130(), Q1, [here]).effective["02"] == 100
    assert compute(Form130(), Q1, [abroad]).effective["02"] == 119
