"""Cross-checks of a year, one by one, with declarations of known figures. Source: instructions of the annual forms."""

from datetime import date
from decimal import Decimal

import pytest
from income_books import SETTLED, ledger, line, previous, purchase, sale

from ledgerkit.providers.api import CheckInput, CheckState, TaxCategory, YearDeclaration
from ledgerkit.providers.es.cross_checks import CHECKS
from ledgerkit.providers.es.tax_forms.profile import PersonKind, Prorrata, SpanishTaxProfile

BY_CODE = {check.code: check for check in CHECKS}
QUARTERS = ("Q1", "Q2", "Q3", "Q4")
EQUAL, DIFFERENT = CheckState.EQUAL, CheckState.DIFFERENT
INCOMPLETE, NOT_APPLICABLE = CheckState.INCOMPLETE, CheckState.NOT_APPLICABLE


def compared(code, *declarations, profile=SETTLED, books=None):
    listed = [YearDeclaration(declaration_id=f"d{at}", declared=one) for at, one in enumerate(declarations)]
    return BY_CODE[code].compare(CheckInput(year=2026, declarations=listed, profile=profile, ledger=books))


def result(comparison):
    left, right = comparison.left.amount, comparison.right.amount
    return comparison.state, None if left is None else str(left), None if right is None else str(right)


def each(form, **boxes):
    return [previous(form, code, **boxes) for code in QUARTERS]


def operator(key, base):
    return {"record": "operator", "operationKey": key, "base": base}


def rectification(key, corrected, declared):
    return {"record": "rectification", "operationKey": key, "correctedBase": corrected, "declaredBase": declared}


BASES = {"b07": "100.00", "b04": "50.00", "b10": "30.00", "b12": "20.00", "b14": "-10.00"}
OTHERS = {"b59": "1.00", "b60": "2.00", "b120": "3.00", "b122": "4.00", "b123": "5.00", "b124": "6.00"}
YEARLY = {"b103": "4.00", "b104": "8.00", "b110": "12.00", "b125": "16.00", "b126": "20.00", "b127": "24.00"}

CASES = [
    # code, declarations, state, left, right
    ("303_390_bases", [*each("303", **BASES), previous("390", "Y", b33="760.00")], EQUAL, "760.00", "760.00"),
    ("303_390_bases", [*each("303", **BASES), previous("390", "Y", b33="860.00")], DIFFERENT, "760.00", "860.00"),
    ("303_390_sales_without_vat", [*each("303", **OTHERS), previous("390", "Y", **YEARLY)], EQUAL, "84.00", "84.00"),
    ("303_390_vat_due", [*each("303", b27="210.00"), previous("390", "Y", b47="840.00")], EQUAL, "840.00", "840.00"),
    ("303_390_vat_due", [*each("303", b27="210.10"), previous("390", "Y", b47="840.00")], EQUAL, "840.40", "840.00"),
    (
        "303_390_vat_due",
        [*each("303", b27="210.13"), previous("390", "Y", b47="840.00")],
        DIFFERENT,
        "840.52",
        "840.00",
    ),
    ("303_390_deductible_vat", [*each("303", b45="21"), previous("390", "Y", b64="63")], DIFFERENT, "84", "63"),
    (
        "303_390_result",
        [*each("303", b64="100", b77="10"), previous("390", "Y", b84="400", b659="40")],
        EQUAL,
        "440",
        "440",
    ),
    ("303_390_vat_due", [*each("303", b27="210")[:3], previous("390", "Y", b47="630")], INCOMPLETE, "630", "630"),
    ("303_390_vat_due", each("303", b27="210"), INCOMPLETE, "840", None),
    ("303_390_vat_due", [*each("303", b71="5"), previous("390", "Y", b47="840")], INCOMPLETE, None, "840"),
    (
        "349_303_sales",
        [
            previous("349", "Q1", b02="600", records=[operator("E", "100.00"), operator("T", "500.00")]),
            previous("349", "Q2", b02="50", b04="80", records=[operator("S", "50"), rectification("E", "80", "100")]),
            *each("303", b59="0")[2:],
            previous("303", "Q1", b59="100"),
            previous("303", "Q2", b59="30"),
        ],
        EQUAL,
        "130.00",
        "130",
    ),
    (
        "349_303_purchases",
        [
            previous("349", "Q1", b02="90", records=[operator("A", "40"), operator("I", "50")]),
            *each("303", b10="25"),
        ],
        INCOMPLETE,
        "90",
        "100",
    ),
    (
        "349_303_purchases",
        [
            *(previous("349", one, b02="20", records=[operator("A", "20")]) for one in QUARTERS),
            *each("303", b10="25"),
        ],
        DIFFERENT,
        "80",
        "100",
    ),
    ("349_303_sales", [previous("349", "Q1", b02="90"), *each("303", b59="25")], INCOMPLETE, None, "100"),
    ("349_303_sales", each("303", b59="0.00"), NOT_APPLICABLE, None, "0.00"),
    ("111_190_paid", [*each("111", b02="10", b08="20"), previous("190", "Y", b02="120")], EQUAL, "120", "120"),
    ("111_190_withheld", [*each("111", b28="45"), previous("190", "Y", b03="45")], DIFFERENT, "180", "45"),
    ("111_190_withheld", [*each("111", b28="45")[:1], previous("190", "Y", b03="45")], EQUAL, "45", "45"),
    ("111_190_withheld", [*each("111", b28="45")[:1], previous("190", "Y", b03="90")], INCOMPLETE, "45", "90"),
    ("111_190_withheld", each("111", b28="45"), INCOMPLETE, "180", None),
    ("111_190_withheld", [], NOT_APPLICABLE, None, None),
    (
        "190_payees",
        [previous("190", "Y", b03="70", records=[{"retention": "45.00", "paymentOnAccount": "5.00"}])],
        DIFFERENT,
        "50.00",
        "70",
    ),
    ("190_payees", [previous("190", "Y", b03="70")], INCOMPLETE, None, "70"),
    ("115_180_base", [*each("115", b02="500"), previous("180", "Y", b02="2000")], EQUAL, "2000", "2000"),
    ("115_180_withheld", [*each("115", b03="95"), previous("180", "Y", b03="285")], DIFFERENT, "380", "285"),
]


@pytest.mark.parametrize(("code", "declarations", "state", "left", "right"), CASES)
def test_a_check_adds_up_what_was_declared(code, declarations, state, left, right):
    assert result(compared(code, *declarations)) == (state, left, right)


def test_a_complementary_111_counts_with_the_whole_of_its_period():
    """Box 28 is the whole, of which 29 subtracts what the first one declared."""
    complementary = previous("111", "Q1", b28="60", b29="45", b30="15")

    comparison = compared("111_190_withheld", complementary, previous("190", "Y", b03="60"))

    assert result(comparison) == (EQUAL, "60", "60")


def test_each_term_names_its_declaration():
    comparison = compared("303_390_vat_due", previous("303", "Q1", b27="5", submitted=False))

    terms = [
        (one.form, one.period.code, one.boxes, one.declaration and one.declaration.declaration_id, one.required)
        for one in (*comparison.left.terms, *comparison.right.terms)
    ]
    assert terms == [
        ("303", "Q1", ("27",), "d0", True),
        *(("303", code, ("27",), None, True) for code in QUARTERS[1:]),
        ("390", "Y", ("47",), None, True),
    ]


def test_monthly_returns_are_added_up_without_a_390():
    months = [previous("303", f"M{number:02d}", b27="10") for number in range(1, 13)]

    comparison = compared("303_390_vat_due", *months, profile=SpanishTaxProfile(monthly_refunds=True))

    assert result(comparison) == (NOT_APPLICABLE, "120", None)


BOOKS = ledger(sale("s", date(2026, 2, 10)), sale("t", date(2026, 11, 10)), purchase("p", date(2026, 3, 10)))
"""Two sales of 1,000, a purchase of 100: net income 1,900, of which 5 % is the provision."""


@pytest.mark.parametrize(
    ("code", "boxes", "state", "left", "right"),
    [
        ("130_books_income", {"b01": "2000.00"}, EQUAL, "2000.00", "2000.00"),
        ("130_books_income", {"b01": "1000.00"}, DIFFERENT, "1000.00", "2000.00"),
        ("130_books_costs", {"b02": "195.00"}, EQUAL, "195.00", "195.00"),
        ("130_books_costs", {"b02": "95.00"}, DIFFERENT, "95.00", "195.00"),
    ],
)
def test_the_last_instalment_agrees_with_the_books(code, boxes, state, left, right):
    earlier = [previous("130", quarter, b01="1", b02="1") for quarter in QUARTERS[:3]]

    assert result(compared(code, *earlier, previous("130", "Q4", **boxes), books=BOOKS)) == (state, left, right)


def test_the_final_prorrata_is_less_cost_and_comes_from_the_last_303():
    """Half of the sales is exempt: VAT of 21 is deducted by 40 %, then by 50 %. 112.60 - 2.10 + 5 % of 1,889.50."""
    exempt = sale("e", date(2026, 2, 11), line("1000", "0", category=TaxCategory.EXEMPT, exemption_code="E1"))
    books = ledger(sale("s", date(2026, 2, 10)), exempt, purchase("p", date(2026, 3, 10)))
    prorrata = {"prorrata": Prorrata.GENERAL, "provisional_percent": 40}
    last = previous("303", "Q4", b44="2.10")

    comparison = compared(
        "130_books_costs",
        last,
        previous("130", "Q4", b02="204.98"),
        profile=SETTLED.model_copy(update=prorrata),
        books=books,
    )

    assert result(comparison) == (EQUAL, "204.98", "204.98")
    assert [(one.form, str(one.amount)) for one in comparison.right.terms if one.form] == [("303", "-2.10")]


def test_farming_income_is_added_up_over_the_quarters_and_costs_nothing():
    quarters = [previous("130", quarter, b01="0", b02="0", b08="500.00") for quarter in QUARTERS]

    assert result(compared("130_books_income", *quarters, books=BOOKS)) == (EQUAL, "2000.00", "2000.00")
    assert compared("130_books_costs", *quarters, books=BOOKS).state is NOT_APPLICABLE


def test_a_company_has_no_instalment_to_compare():
    comparison = compared("130_books_income", profile=SpanishTaxProfile(person=PersonKind.COMPANY))

    assert comparison.state is NOT_APPLICABLE


def test_a_missing_last_quarter_is_incomplete():
    assert compared("130_books_income", previous("130", "Q3", b01="9"), books=BOOKS).state is INCOMPLETE


def test_every_check_has_a_source_and_forms_that_there_are():
    codes = {"303", "390", "130", "111", "115", "180", "190", "349"}

    assert all(check.source and codes >= {*check.forms} for check in CHECKS)
    assert len(BY_CODE) == len(CHECKS)
    assert all(check.tolerance >= Decimal(0) for check in CHECKS)
