"""Form 115, box by box; AEAT, design of form 115; RD 439/2007, arts. 75, 100 and 108."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from income_books import LANDLORD, SETTLED, VENDOR, codes, given, paid, previous, professional, rent, warned

from ledgerkit.providers.api import Amendment, TaxPeriod
from ledgerkit.providers.es.tax_forms.income.form_115 import Form115

FEBRUARY, MARCH, APRIL = date(2026, 2, 1), date(2026, 3, 1), date(2026, 4, 1)
FORM = Form115()

BOXES = [
    # boxes, documents, source
    ({"01": "1", "02": "1000.00", "03": "190.00", "05": "190.00"}, [rent("a", FEBRUARY)], "19 % of the base"),
    ({"02": "1000.00", "03": "95.00"}, [rent("a", FEBRUARY, rate="9.5")], "9.5 % in Ceuta and Melilla"),
    ({"01": "1", "02": "2000.00"}, [rent("a", FEBRUARY), rent("b", MARCH)], "a landlord counts once"),
    ({"01": "2"}, [rent("a", FEBRUARY), rent("b", MARCH, vendor=VENDOR)], "two landlords"),
    ({"01": "0", "05": "0.00"}, [professional("a", FEBRUARY)], "professionals are of form 111"),
    ({"01": "0"}, [rent("a", FEBRUARY, rate="0")], "without retention nothing is declared"),
    (
        {"01": "1", "02": "1000.00"},
        [rent("a", FEBRUARY, retention_kind=None, category="rent")],
        "certain by its category",
    ),
    ({"01": "0"}, [rent("a", FEBRUARY, payments=(paid(APRIL, "1020"),))], "paid in the next quarter"),
    ({"02": "600.00", "03": "114.00"}, [rent("a", FEBRUARY), rent("b", MARCH, "-400")], "credit note received"),
]


@pytest.mark.parametrize("row", BOXES, ids=lambda row: row[-1])
def test_boxes(row):
    expected, documents, _ = row

    computation = FORM.compute(given("Q1", *documents))

    assert expected == {key: str(computation.computed[key]) for key in expected}


def test_unknown_kind_is_warned_of_because_it_may_be_rent():
    document = rent("a", FEBRUARY, retention_kind=None, category="office")

    assert warned(FORM.compute(given("Q1", document))) == {"kind_unknown": ("a",)}


def test_landlord_without_tax_id_is_warned_of():
    document = rent("a", FEBRUARY, vendor=replace(LANDLORD, tax_id=None))

    assert warned(FORM.compute(given("Q1", document))) == {"payee_unknown": ("a",)}


def test_complementary_pays_the_difference():
    computation = FORM.compute(
        given(
            "Q1",
            rent("a", FEBRUARY),
            earlier=[previous("115", "Q1", b05="100")],
            amends=Amendment(receipt_number="1151234567890"),
        )
    )

    assert [str(computation.effective[key]) for key in ("04", "05")] == ["100.00", "90.00"]
    assert list(computation.declaration_types) == ["I", "U", "G"]


def test_override_changes_the_result():
    computation = FORM.compute(given("Q1", rent("a", FEBRUARY), overrides={"03": "180"}))

    assert (Decimal(190), Decimal(180)) == (computation.computed["05"], computation.result)


def test_less_than_zero_stays_at_zero_and_is_warned_of():
    computation = FORM.compute(given("Q1", rent("a", FEBRUARY, "-400")))

    assert codes(computation) == ["below_zero"]
    assert list(computation.declaration_types) == ["N"]


def test_boxes_and_periods():
    assert list(FORM.boxes(TaxPeriod(2026, "Q1"))) == ["01", "02", "03", "04", "05"]
    assert len(FORM.periods(2026)) == 16
    assert FORM.is_due(SETTLED, TaxPeriod(2026, "Q4"))
