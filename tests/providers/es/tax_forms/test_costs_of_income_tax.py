"""Costs of form 130 and of the record books: VAT that is not deducted, assets, and what a client does not pay."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given as samples
from hypothesis import settings
from hypothesis import strategies as st
from income_books import SETTLED, bought, credit, given, ledger, line, purchase, sale, warned

from ledgerkit.providers.api import DateSpan, TaxCategory
from ledgerkit.providers.es.books import BOOKS, columns
from ledgerkit.providers.es.tax_forms.income.form_130 import Form130
from ledgerkit.providers.es.tax_forms.profile import CensusChange, EstimationMode, Prorrata
from ledgerkit.providers.es.tax_forms.vat.form_303 import Form303
from support.sampling import examples

FORM, VAT_FORM = Form130(), Form303()
ISSUED, RECEIVED, INVESTMENT = BOOKS
NEW_YEAR, FEBRUARY = date(2026, 1, 1), date(2026, 2, 10)
NORMAL = SETTLED.model_copy(update={"estimation": EstimationMode.NORMAL})
NOTHING = Decimal(0)


def partly(percent):
    return NORMAL.model_copy(update={"prorrata": Prorrata.GENERAL, "provisional_percent": percent})


def costs(code, *documents, profile=NORMAL, **more):
    return FORM.compute(given(code, *documents, profile=profile, **more)).computed["02"]


def listed(book, names, documents, profile, year=2026):
    of = ledger(*documents, span=DateSpan(first=date(year, 1, 1), last=date(year, 12, 31)))
    return [dict(zip(names, row, strict=True)) for row in book.rows(of, profile)]


PURCHASE = purchase("paper", FEBRUARY, bought("2000"))
MACHINE = purchase("machine", NEW_YEAR, bought("10000", investment_good=True, useful_life_years=10))
LAPTOP = purchase("laptop", NEW_YEAR, bought("1500", useful_life_years=4))
HALF_CAR = purchase("car", FEBRUARY, bought("100", deductible="50"))
COSTS = [
    # documents, profile, costs of the first three quarters, source
    ([PURCHASE], partly(40), "2252.00", "60 % of 420 is 252"),
    ([MACHINE], partly(40), "842.19", "(10,000 + 60 % of 2,100 = 11,260) / 10 x 273 / 365"),
    ([MACHINE], NORMAL, "747.95", "10,000 / 10 x 273 / 365"),
    ([LAPTOP], NORMAL, "280.48", "1,500 / 4 x 273 / 365, whatever the VAT calls it"),
    ([HALF_CAR], NORMAL, "110.50", "half of 21 by what the purchase says"),
    ([HALF_CAR], partly(40), "116.80", "40 % of the half that may be deducted: 4.20 of 21"),
    ([HALF_CAR], NORMAL.model_copy(update={"prorrata": Prorrata.SPECIAL}), "110.50", "by the use of each purchase"),
    ([PURCHASE], NORMAL.model_copy(update={"surcharge_regime": True}), "2420.00", "a retailer deducts no VAT"),
]


@pytest.mark.parametrize(("documents", "profile", "expected", "source"), COSTS)
def test_vat_that_is_not_deducted_is_a_cost(documents, profile, expected, source):
    """AEAT, practical manual of income tax 2020, chapter 7, deductible taxes."""
    assert str(costs("Q3", *documents, profile=profile)) == expected, source


def test_a_prorrata_without_its_percent_is_warned_of():
    assert [*warned(FORM.compute(given("Q1", PURCHASE, profile=partly(None))))] == ["warn_prorrata_percent"]


def test_the_percent_is_that_of_the_day_of_the_deduction():
    profile = partly(40).model_copy(
        update={"census_changes": (CensusChange(since=date(2026, 4, 1), provisional_percent=50),)}
    )
    later = purchase("later", date(2026, 5, 10), bought("2000"))

    assert costs("Q3", PURCHASE, later, profile=profile) == 2252 + 2210


def test_the_final_percent_adjusts_the_costs_of_the_last_quarter_and_no_asset():
    """2,000 with the right of 4,000: 50 %. Box 44 is 10 % of 420 and of 2,100."""
    sales = [
        sale("taxed", FEBRUARY, line("2000")),
        sale("exempt", FEBRUARY, line("2000", "0", category=TaxCategory.EXEMPT)),
    ]
    asked = given("Q4", *sales, PURCHASE, MACHINE, profile=partly(40))

    computation, returned = FORM.compute(asked), VAT_FORM.compute(asked)

    assert returned.computed["44"] == 252
    assert computation.computed["02"] == 2252 + 1126 - 252
    assert "prorrata_adjustment" in warned(computation)
    assert costs("Q3", *sales, PURCHASE, profile=partly(40)) == 2252


def test_an_asset_below_the_limit_is_a_current_purchase_of_the_vat():
    """Ley 37/1992, art. 108.Dos.5.º: below 3,005.06 EUR it is no investment good."""
    boxes = VAT_FORM.compute(given("Q1", LAPTOP)).computed

    assert [boxes[key] for key in ("28", "29", "30", "31")] == [1500, 315, 0, 0]


@pytest.mark.parametrize(
    ("base", "investment_good", "years", "warning"),
    [
        ("3005.05", True, 4, "warn_investment_good_small"),
        ("3005.06", True, 4, None),
        ("3005.06", False, 4, "warn_investment_good_unsaid"),
        ("3005.05", False, 4, None),
        ("5000", False, None, None),
    ],
)
def test_a_good_on_the_wrong_side_of_the_limit_is_named(base, investment_good, years, warning):
    good = purchase("good", FEBRUARY, bought(base, investment_good=investment_good, useful_life_years=years))

    about = {code: ids for code, ids in warned(VAT_FORM.compute(given("Q1", good))).items() if "investment" in code}

    assert about == ({warning: ("good",)} if warning else {})


@pytest.mark.parametrize("reason", ["R2", "R3"])
def test_a_correction_of_what_is_not_paid_recovers_the_vat_and_no_income(reason):
    """Ley 37/1992, art. 80.Tres and Cuatro."""
    documents = [
        sale("sold", FEBRUARY, line("1500")),
        credit("unpaid", FEBRUARY, line("-1500"), correction_reason=reason),
    ]
    asked = given("Q1", *documents, profile=NORMAL)

    computation, returned = FORM.compute(asked), VAT_FORM.compute(asked)

    assert computation.computed["01"] == 1500
    assert warned(computation) == {"vat_only": ("unpaid",)}
    assert (returned.computed["14"], returned.computed["15"]) == (-1500, -315)
    rows = listed(ISSUED, columns.ISSUED, documents, NORMAL)
    assert [(row["base"], row["income"]) for row in rows] == [(1500, 1500), (-1500, 0)]


def test_another_correction_lowers_income():
    documents = [sale("sold", FEBRUARY, line("1500")), credit("back", FEBRUARY, line("-500"), correction_reason="R1")]

    assert FORM.compute(given("Q1", *documents)).computed["01"] == 1000


lines = st.builds(
    lambda base, rate, deductible, goods: bought(
        base, rate, deductible, investment_good=goods[0], useful_life_years=goods[1]
    ),
    st.decimals("0.01", "90000", places=2),
    st.sampled_from(["4", "10", "21"]),
    st.sampled_from(["0", "50", "100"]),
    st.sampled_from([(False, None), (False, None), (True, 10), (False, 4), (True, None)]),
)
purchases = st.builds(
    lambda key, day, taxes, percent: purchase(str(key), day, *taxes, income_tax_percent=Decimal(percent)),
    st.uuids(),
    st.dates(date(2026, 1, 1), date(2026, 12, 31)),
    st.lists(lines, min_size=1, max_size=4),
    st.sampled_from([0, 50, 100]),
)
profiles = st.sampled_from(
    [NORMAL, partly(0), partly(37), partly(100), NORMAL.model_copy(update={"surcharge_regime": True})]
)


@samples(st.lists(purchases, max_size=8), profiles)
@settings(max_examples=examples(120, 12), deadline=None)
def test_the_books_add_up_to_the_costs_of_the_form(documents, profile):
    computation = FORM.compute(given("Q4", *documents, profile=profile))
    current = listed(RECEIVED, columns.RECEIVED, documents, profile)
    assets = listed(INVESTMENT, columns.investment(2026), documents, profile)

    shown = sum((row["cost"] or NOTHING for row in current), NOTHING)
    shown += sum((row["depreciation"] or NOTHING for row in assets), NOTHING)
    assert sum((part.amount for part in computation.evidence.get("02", ())), NOTHING) == shown


@samples(st.lists(purchases, max_size=8), st.sampled_from([NORMAL, partly(0), partly(37), partly(100)]))
@settings(max_examples=examples(120, 12), deadline=None)
def test_vat_is_deducted_or_a_cost(documents, profile):
    """Deducted VAT, costs and values of assets in the books add up to what was charged."""
    whole = [one.document_id for one in documents if one.income_tax_percent == 100]
    current = [row for row in listed(RECEIVED, columns.RECEIVED, documents, profile) if row["reference"] in whole]
    assets = [row for row in listed(INVESTMENT, columns.investment(2026), documents, profile) if row["good"] in whole]

    counted = sum((row["cost"] or NOTHING for row in current), NOTHING) + sum((row["value"] for row in assets), NOTHING)
    deducted = sum((row["deductible"] for row in current), NOTHING)

    assert counted + deducted == sum((one.gross_total for one in documents if one.document_id in whole), NOTHING)
