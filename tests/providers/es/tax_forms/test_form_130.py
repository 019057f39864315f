"""Form 130, box by box. Amounts are worked out in the rows; rules: RD 439/2007, arts. 109 to 111."""

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given as samples
from hypothesis import strategies as st
from income_books import (
    SETTLED,
    amount,
    bought,
    codes,
    credit,
    given,
    line,
    previous,
    purchase,
    sale,
    warned,
)

from ledgerkit.providers.api import Amendment, Choice, Omission, OmittedDocument, ResultKind, TaxCategory, TaxPeriod
from ledgerkit.providers.es.tax_forms.income.form_130 import Form130
from ledgerkit.providers.es.tax_forms.profile import (
    Activity,
    ActivityKind,
    CensusChange,
    EstimationMode,
    PersonKind,
    SpanishTaxProfile,
)
from ledgerkit.providers.es.territories import Territory
from ledgerkit.texts import languages

FEBRUARY, MAY, AUGUST, NOVEMBER = (date(2026, month, 10) for month in (2, 5, 8, 11))
NORMAL = SETTLED.model_copy(update={"estimation": EstimationMode.NORMAL})
FARMER = SETTLED.model_copy(update={"activities": (Activity(kind=ActivityKind.FARMING),)})
FORM = Form130()


def income(base, day=FEBRUARY, **more):
    return sale(f"income {base} {day}", day, line(base), **more)


def cost(base, day=FEBRUARY, **more):
    return purchase(f"cost {base} {day}", day, bought(base), **more)


@pytest.mark.parametrize("name", ["pub09_130_1T", "pub10_130_2T"])
def test_public_case(name, shared):
    case = json.loads((shared / "spain" / "tax-cases" / f"{name}.json").read_text())
    params, code = case["params"], f"Q{case['period'][0]}"
    earlier = [
        previous("130", f"Q{number}", year=case["year"], **{f"b{key}": value for key, value in boxes.items()})
        for number, boxes in enumerate(params.get("previous", ()), start=1)
    ]

    computation = FORM.compute(
        given(
            code,
            income(params["income"], retention=params["withholdings"]),
            cost(params["expenses"]),
            year=case["year"],
            profile=SpanishTaxProfile(),
            earlier=earlier,
        )
    )

    assert case["expected"] == {key: str(computation.effective[key]) for key in case["expected"]}


BOXES = [
    # box, code, documents, profile, earlier, expected, source
    ("01", "Q1", [income("1000")], SETTLED, (), "1000.00", "net of VAT"),
    ("01", "Q1", [income("1000"), income("500", MAY)], SETTLED, (), "1000.00", "until the quarter's end"),
    ("01", "Q2", [income("1000"), income("500", MAY)], SETTLED, (), "1500.00", "cumulative from January"),
    (
        "01",
        "Q1",
        [sale("a", date(2026, 4, 2), line("700"), operation_date=date(2026, 3, 30))],
        SETTLED,
        (),
        "700.00",
        "operation date before issue date",
    ),
    (
        "01",
        "Q1",
        [sale("a", date(2026, 1, 4), line("700"), operation_date=date(2025, 12, 30))],
        SETTLED,
        (),
        "0.00",
        "operation of the year before",
    ),
    (
        "01",
        "Q2",
        [income("1000"), credit("c", MAY, line("-400"), operation_date=date(2025, 3, 1))],
        SETTLED,
        (),
        "600.00",
        "credit note on its own day",
    ),
    (
        "01",
        "Q1",
        [sale("a", FEBRUARY, line("300", "0", category=TaxCategory.EXEMPT), line("200", "10"))],
        SETTLED,
        (),
        "500.00",
        "exempt sales are income too",
    ),
    (
        "01",
        "Q1",
        [sale("a", FEBRUARY, line("100", regime_key="03", untaxed=amount("400")))],
        SETTLED,
        (),
        "500.00",
        "under a margin regime, what lies outside of the base too",
    ),
    (
        "01",
        "Q1",
        [income("1000")],
        SETTLED.model_copy(update={"surcharge_regime": True}),
        (),
        "1210.00",
        "a retailer under the equivalence surcharge keeps the VAT",
    ),
    (
        "01",
        "Q1",
        [sale("a", FEBRUARY, line("1000", "12", regime_key="19"), line("100"))],
        SETTLED,
        (),
        "1220.00",
        "the compensation to who farms is income",
    ),
    ("02", "Q1", [cost("1000")], NORMAL, (), "1000.00", "normal mode: no provision"),
    ("02", "Q1", [income("5000"), cost("1000")], SETTLED, (), "1200.00", "1000 + 5 % of 4000"),
    ("02", "Q1", [income("1000"), cost("1500")], SETTLED, (), "1500.00", "no provision of a loss"),
    ("02", "Q4", [income("90000"), cost("10000")], SETTLED, (), "12000.00", "provision of 2,000 at most"),
    (
        "02",
        "Q1",
        [purchase("a", FEBRUARY, bought("200", deductible="50"))],
        NORMAL,
        (),
        "221.00",
        "half of the VAT of 42 is cost",
    ),
    ("02", "Q1", [cost("200", income_tax_percent=Decimal(30))], NORMAL, (), "60.00", "30 % of the cost"),
    ("02", "Q1", [cost("200", income_tax_percent=Decimal(0))], NORMAL, (), "0.00", "not deductible"),
    (
        "02",
        "Q1",
        [cost("200", date(2026, 3, 30), reception_date=date(2026, 4, 3))],
        NORMAL,
        (),
        "0.00",
        "by reception",
    ),
    (
        "02",
        "Q2",
        [cost("200", date(2025, 12, 30), reception_date=date(2026, 4, 3))],
        NORMAL,
        (),
        "200.00",
        "by reception",
    ),
    ("03", "Q1", [income("1000"), cost("400")], NORMAL, (), "600.00", "01 - 02"),
    ("03", "Q1", [income("100"), cost("400")], NORMAL, (), "-300.00", "signed"),
    ("04", "Q1", [income("1000.13")], NORMAL, (), "200.03", "20 %: 200.026, half up"),
    ("04", "Q1", [income("100"), cost("400")], NORMAL, (), "0.00", "none of a loss"),
    ("05", "Q1", [income("1000")], NORMAL, (previous("130", "Q4", year=2025, b07="500"),), "0.00", "none in Q1"),
    (
        "05",
        "Q3",
        [income("9000")],
        NORMAL,
        (previous("130", "Q1", b07="300", b16="20"), previous("130", "Q2", b07="-90")),
        "280.00",
        "positive 07 less 16",
    ),
    ("05", "Q2", [income("9000")], NORMAL, (previous("130", "Q1", b07="10", b16="20"),), "0.00", "never negative"),
    (
        "05",
        "Q2",
        [income("9000")],
        NORMAL,
        (previous("130", "Q1", b07="100"), previous("130", "Q1", b07="150")),
        "150.00",
        "complementary one of the quarter",
    ),
    ("06", "Q2", [income("1000", retention="150"), income("10", MAY, retention="2")], NORMAL, (), "152.00", "sum"),
    ("07", "Q1", [income("1000", retention="150")], NORMAL, (), "50.00", "200 - 0 - 150"),
    ("07", "Q1", [income("1000", retention="250")], NORMAL, (), "-50.00", "signed"),
    ("08", "Q1", [income("1000")], NORMAL, (), "0.00", "only of farming"),
    ("08", "Q2", [income("1000"), income("500", MAY)], FARMER, (), "500.00", "of the quarter, not cumulative"),
    ("09", "Q2", [income("500", MAY), cost("900")], FARMER, (), "10.00", "2 % of 500, whatever it costs"),
    ("10", "Q2", [income("1000", retention="20"), income("500", MAY, retention="4")], FARMER, (), "4.00", "quarter"),
    ("11", "Q2", [income("500", MAY, retention="12")], FARMER, (), "-2.00", "09 - 10, signed"),
    ("12", "Q2", [income("500", MAY, retention="4")], FARMER, (), "6.00", "07 + 11"),
    ("02", "Q2", [income("500", MAY), cost("900")], FARMER, (), "0.00", "no costs of farming"),
    ("12", "Q1", [income("1000", retention="250")], NORMAL, (), "0.00", "never negative"),
    ("12", "Q1", [income("1000", retention="150")], NORMAL, (), "50.00", "07 + 11"),
    ("17", "Q1", [income("1000", retention="150")], NORMAL, (), "50.00", "14 - 15 - 16"),
    (
        "15",
        "Q2",
        [income("1000")],
        NORMAL,
        (previous("130", "Q1", b19="-120"),),
        "120.00",
        "negative 19 of an earlier quarter",
    ),
    (
        "15",
        "Q2",
        [income("500")],
        NORMAL,
        (previous("130", "Q1", b19="-120"),),
        "100.00",
        "at most box 14",
    ),
    (
        "15",
        "Q3",
        [income("5000")],
        NORMAL,
        (previous("130", "Q1", b19="-120"), previous("130", "Q2", b15="100", b07="100")),
        "20.00",
        "what Q2 left of it",
    ),
    ("15", "Q2", [cost("500")], NORMAL, (previous("130", "Q1", b19="-120"),), "0.00", "only where 14 is positive"),
    ("18", "Q1", [income("1000")], NORMAL, (previous("130", "Q1", b19="60"),), "0.00", "only complementary"),
    ("19", "Q1", [income("1000")], NORMAL, (), "200.00", "17 - 18"),
]


@pytest.mark.parametrize("row", BOXES, ids=lambda row: f"{row[0]}: {row[-1]}")
def test_box(row):
    box, code, documents, profile, earlier, expected, source = row

    computation = FORM.compute(given(code, *documents, profile=profile, earlier=earlier))

    assert expected == str(computation.computed[box]), source


@pytest.mark.parametrize(
    ("year", "expected", "source"),
    [
        (2022, "500.00", "5 %: RD 439/2007, art. 30.2.4ª"),
        (2023, "700.00", "7 % in 2023 only: Ley 31/2022"),
        (2024, "500.00", "5 % again"),
        (2026, "500.00", "5 %"),
    ],
)
def test_provision_follows_the_percent_of_its_year(year, expected, source):
    documents = [income("10000", date(year, 2, 1))]

    computation = FORM.compute(given("Q1", *documents, year=year))

    assert expected == str(computation.computed["02"]), source


@pytest.mark.parametrize(
    ("net_income", "expected"),
    [
        ("-5", "100.00"),
        ("9000", "100.00"),
        ("9000.01", "75.00"),
        ("10000", "75.00"),
        ("11000", "50.00"),
        ("12000", "25.00"),
        ("12000.01", "0.00"),
        (None, "0.00"),
    ],
)
def test_reduction_follows_the_net_income_of_last_year(net_income, expected):
    profile = SETTLED.model_copy(update={"last_year_net_income": net_income and Decimal(net_income)})

    computation = FORM.compute(given("Q1", income("9000"), profile=profile))

    assert expected == str(computation.computed["13"]), "RD 439/2007, art. 110.3.c"
    assert (["net_income_unknown"] if net_income is None else []) == codes(computation)


def test_year_without_activity_counts_as_no_income():
    profile = SpanishTaxProfile(activities=(Activity(since=date(2026, 2, 1)),))

    computation = FORM.compute(given("Q1", income("9000"), profile=profile))

    assert Decimal(100) == computation.computed["13"]
    assert codes(computation) == []


def test_reduction_may_make_the_result_negative_and_the_next_quarter_deducts_it():
    profile = SETTLED.model_copy(update={"last_year_net_income": Decimal(0), "estimation": EstimationMode.NORMAL})
    first = FORM.compute(given("Q1", income("100"), profile=profile))
    boxes = {f"b{key}": value for key, value in first.effective.items()}

    second = FORM.compute(
        given("Q2", income("100"), income("5000", MAY), profile=profile, earlier=[previous("130", "Q1", **boxes)])
    )

    assert [str(first.effective[key]) for key in ("12", "14", "19")] == ["20.00", "-80.00", "-80.00"]
    assert [str(second.effective[key]) for key in ("05", "14", "15", "19")] == ["20.00", "900.00", "80.00", "820.00"]


@pytest.mark.parametrize(
    ("base", "earlier", "expected", "source"),
    [
        ("10000", (), "200.00", "2 % of 03"),
        ("50000", (), "660.14", "at most 660.14 a quarter"),
        ("1000", (previous("130", "Q1", b19="-190"),), "10.00", "at most 14 - 15 = 200 - 190"),
    ],
)
def test_home_loan(base, earlier, expected, source):
    profile = NORMAL.model_copy(update={"home_loan": True})

    computation = FORM.compute(given("Q2", income(base), profile=profile, earlier=earlier))

    assert expected == str(computation.computed["16"]), source


def test_farming_by_hand_adds_two_percent():
    overrides = {"08": "10000", "10": "50"}

    computation = FORM.compute(given("Q1", income("1000"), profile=NORMAL, overrides=overrides))

    assert [str(computation.effective[key]) for key in ("09", "11", "12")] == ["200.00", "150.00", "350.00"]
    assert [str(computation.computed[key]) for key in ("09", "11", "12")] == ["0.00", "0.00", "200.00"]


@pytest.mark.parametrize("territory", [Territory.CEUTA, Territory.MELILLA])
def test_ceuta_and_melilla_pay_40_percent_of_it(territory):
    """8 % of 1,234.57 is 98.77 (98.7656), 0.8 % of 10,000.00 is 80.00: RD 439/2007, art. 110.2."""
    profile = NORMAL.model_copy(update={"territory": territory})
    farmer = FARMER.model_copy(update={"territory": territory})

    computation = FORM.compute(given("Q1", income("1234.57"), profile=profile))
    farming = FORM.compute(given("Q1", income("10000"), profile=farmer))

    assert [str(computation.computed[key]) for key in ("03", "04", "19")] == ["1234.57", "98.77", "98.77"]
    assert [str(farming.computed[key]) for key in ("08", "09", "19")] == ["10000.00", "80.00", "80.00"]
    assert codes(computation) == codes(farming) == ["reduced_percent"]


@pytest.mark.parametrize("territory", [Territory.CANARIAS, Territory.COMMON, None])
def test_nobody_else_pays_less(territory):
    computation = FORM.compute(
        given("Q1", income("1234.57"), profile=NORMAL.model_copy(update={"territory": territory}))
    )

    assert str(computation.computed["04"]) == "246.91"
    assert codes(computation) == []


def test_a_company_is_told_that_the_form_is_not_for_it():
    computation = FORM.compute(
        given("Q1", income("1000"), profile=NORMAL.model_copy(update={"person": PersonKind.COMPANY}))
    )

    assert codes(computation) == ["company_instalment"]


def test_farming_beside_another_activity_is_warned_of():
    activities = (Activity(kind=ActivityKind.FARMING), Activity(kind=ActivityKind.PROFESSIONAL))

    computation = FORM.compute(given("Q1", profile=SETTLED.model_copy(update={"activities": activities})))

    assert codes(computation) == ["farming_mixed"]


def test_override_changes_what_follows_and_computed_stays():
    computation = FORM.compute(given("Q1", income("1000"), profile=NORMAL, overrides={"04": "80"}))

    assert (str(computation.computed["04"]), str(computation.effective["04"])) == ("200.00", "80.00")
    assert Decimal(80) == computation.result, "8 % in Ceuta and Melilla: box 04 may be changed"


def test_unknown_override_is_refused():
    with pytest.raises(ValueError, match="20"):
        FORM.compute(given("Q1", overrides={"20": "1"}))


def test_complementary_pays_only_the_difference():
    computation = FORM.compute(
        given(
            "Q1",
            income("1000"),
            profile=NORMAL,
            earlier=[previous("130", "Q1", b07="150", b19="150")],
            amends=Amendment(receipt_number="1301234567890"),
        )
    )

    assert [str(computation.effective[key]) for key in ("18", "19")] == ["150.00", "50.00"]


def test_complementary_of_less_is_warned_of():
    computation = FORM.compute(
        given(
            "Q1",
            income("100"),
            profile=NORMAL,
            earlier=[previous("130", "Q1", b19="150")],
            amends=Amendment(receipt_number="1301234567890"),
        )
    )

    assert codes(computation) == ["complementary_lower"]


INVESTMENT = [
    # bought on, years, period, expected, source
    (date(2026, 1, 1), 4, "Q4", "250.00", "1000 / 4, whole year"),
    (date(2026, 1, 1), 4, "Q1", "61.64", "250 x 90 / 365"),
    (date(2026, 3, 2), 4, "Q1", "20.55", "250 x 30 / 365"),
    (date(2024, 7, 1), 4, "Q4", "250.00", "second whole year"),
    (date(2022, 7, 1), 4, "Q4", "123.97", "250 x 181 / 365: until 30 June"),
    (date(2022, 7, 1), 4, "Q1", "61.64", "250 x 90 / 365"),
    (date(2020, 1, 1), 4, "Q4", "0.00", "depreciated by the end of 2023"),
]


@pytest.mark.parametrize(("bought_on", "years", "code", "expected", "source"), INVESTMENT)
def test_investment_good_is_depreciated_by_days(bought_on, years, code, expected, source):
    good = purchase("good", bought_on, bought("1000", investment_good=True, useful_life_years=years))
    within = bought_on.year == 2026

    computation = FORM.compute(
        given(code, *([good] if within else []), profile=NORMAL, earlier_investments=() if within else (good,))
    )

    assert expected == str(computation.computed["02"]), source


def test_whole_life_depreciates_the_whole_value():
    good = purchase(
        "good",
        date(2024, 2, 29),
        bought("1000", deductible="50", investment_good=True, useful_life_years=3),
        income_tax_percent=Decimal(50),
    )

    years = [
        FORM.compute(
            given("Q4", year=year, profile=NORMAL, earlier_investments=(good,) if year > 2024 else ())
            if year > 2024
            else given("Q4", good, year=year, profile=NORMAL)
        ).computed["02"]
        for year in range(2024, 2029)
    ]

    assert abs(sum(years) - Decimal("552.50")) <= Decimal("0.60"), "half of 1,000 and of the lost VAT of 105"
    assert Decimal(0) == years[-1]


def test_good_without_useful_life_is_warned_of_and_costs_nothing():
    good = purchase("good", FEBRUARY, bought("1000", investment_good=True), bought("50"))

    computation = FORM.compute(given("Q1", good, profile=NORMAL))

    assert Decimal("50.00") == computation.computed["02"]
    assert warned(computation) == {"life_unknown": ("good",)}


def test_what_is_not_deductible_is_named():
    documents = [cost("100", income_tax_percent=Decimal(0)), cost("200")]

    assert {"not_deductible": (documents[0].document_id,)} == warned(FORM.compute(given("Q1", *documents)))


@pytest.mark.parametrize(
    ("issue_date", "reception_date", "named"),
    [
        (date(2025, 12, 30), date(2026, 1, 8), True),
        (date(2026, 3, 30), date(2026, 4, 3), False),
    ],
)
def test_what_is_not_deductible_is_named_in_the_period_of_its_reception(issue_date, reception_date, named):
    document = cost("100", issue_date, reception_date=reception_date, income_tax_percent=Decimal(0))

    assert ("not_deductible" in warned(FORM.compute(given("Q1", document)))) is named


def test_evidence_names_the_documents_of_each_box():
    documents = [income("1000", retention="150"), income("200", date(2026, 1, 5)), cost("300")]

    computation = FORM.compute(given("Q1", *documents, profile=NORMAL))

    assert {key: sum(part.amount for part in parts) for key, parts in computation.evidence.items()} == {
        "01": Decimal("1200.00"),
        "02": Decimal("300.00"),
        "06": Decimal("150.00"),
    }
    assert computation.counted == {one.document_id for one in documents}


@pytest.mark.parametrize(
    ("code", "documents", "letters", "kind"),
    [
        ("Q1", [income("1000")], ["I", "U"], ResultKind.PAY),
        ("Q1", [cost("100")], ["N"], ResultKind.NONE),
        ("Q3", [], ["B"], ResultKind.COMPENSATE),
        ("Q4", [], ["N"], ResultKind.NONE),
    ],
)
def test_declaration_types(code, documents, letters, kind):
    low = Decimal(0) if not documents else Decimal(50000)
    profile = NORMAL.model_copy(update={"last_year_net_income": low})

    computation = FORM.compute(given(code, *documents, profile=profile))

    assert letters == list(computation.declaration_types)
    assert kind is computation.result_kind


@pytest.mark.parametrize(("letter", "warnings"), [("N", ["type_not_allowed"]), ("U", []), (None, [])])
def test_choice_that_the_result_does_not_allow_is_warned_of(letter, warnings):
    asked = replace(given("Q1", income("1000")), choice=Choice(declaration_type=letter))

    assert warnings == codes(FORM.compute(asked))


def test_missing_earlier_quarters_are_named():
    computation = FORM.compute(given("Q3", earlier=[previous("130", "Q1", b07="0")]))

    (one,) = computation.warnings
    assert one.code == "income_forms.previous_missing"
    assert "Q2" in one.message.in_language("es")


def test_drafts_of_earlier_quarters_count_and_are_named():
    drafts = [previous("130", "Q1", b07="200", submitted=False)]

    computation = FORM.compute(given("Q2", income("1000"), earlier=drafts))

    assert Decimal(200) == computation.computed["05"]
    assert codes(computation) == ["previous_draft"]


def test_filed_declaration_counts_rather_than_a_draft():
    earlier = [previous("130", "Q1", b07="200", submitted=False), previous("130", "Q1", b07="150")]

    computation = FORM.compute(given("Q2", income("1000"), earlier=earlier))

    assert Decimal(150) == computation.computed["05"]
    assert codes(computation) == []


def test_quarters_before_the_activity_are_not_missing():
    profile = SETTLED.model_copy(update={"activities": (Activity(since=date(2026, 7, 1)),)})

    assert codes(FORM.compute(given("Q3", profile=profile))) == []


def test_income_below_zero_stays_at_zero_and_is_warned_of():
    computation = FORM.compute(given("Q1", credit("c", FEBRUARY, line("-400"), retention="-60"), profile=NORMAL))

    assert [str(computation.computed[key]) for key in ("01", "06")] == ["0.00", "0.00"]
    assert warned(computation) == {"below_zero": ("c",)}
    assert computation.counted == set()


def test_omitted_documents_are_named():
    omitted = (OmittedDocument(document_id="x", number="F-7", reason=Omission.FOREIGN_CURRENCY),)

    computation = FORM.compute(given("Q1", omitted=omitted))

    assert warned(computation) == {"foreign_currency": ("x",)}
    assert "F-7" in str(computation.warnings[0].message)


@pytest.mark.parametrize(
    ("changes", "due"),
    [
        ({}, True),
        ({"person": PersonKind.COMPANY}, False),
        ({"estimation": EstimationMode.MODULES}, False),
        ({"estimation": EstimationMode.NORMAL}, True),
        ({"income_mostly_withheld": True}, False),
        ({"activities": (Activity(kind=ActivityKind.LETTING),)}, False),
        ({"activities": (Activity(since=date(2026, 4, 1)),)}, False),
        ({"activities": (Activity(until=date(2025, 12, 31)),)}, False),
        ({"activities": (Activity(until=date(2026, 1, 1)),)}, True),
        (
            {"census_changes": (CensusChange(since=date(2026, 3, 31), estimation=EstimationMode.MODULES),)},
            False,
        ),
        ({"census_changes": (CensusChange(since=date(2026, 4, 1), estimation=EstimationMode.MODULES),)}, True),
    ],
)
def test_is_due_as_far_as_the_profile_tells(changes, due):
    assert due is FORM.is_due(SpanishTaxProfile(**changes), TaxPeriod(2026, "Q1"))


def test_reads_from_january():
    span = FORM.ledger_span(TaxPeriod(2026, "Q3"))

    assert (date(2026, 1, 1), date(2026, 9, 30)) == (span.first, span.last)


def test_every_box_is_named_in_all_languages():
    boxes = FORM.boxes(TaxPeriod(2026, "Q1"))

    assert [f"{number:02d}" for number in range(1, 20)] == list(boxes)
    assert all(box.name.languages == languages() for box in boxes.values())


cents = st.integers(0, 5_000_000).map(lambda number: Decimal(number) / 100)
days = st.dates(date(2026, 1, 1), date(2026, 12, 31))
sales = st.lists(st.tuples(days, cents, st.integers(0, 20)), max_size=8)
costs = st.lists(st.tuples(days, cents), max_size=8)


def _documents(sold, spent):
    return [
        *(
            sale(f"s{number}", day, line(base), retention=amount(base * percent / 100))
            for number, (day, base, percent) in enumerate(sold)
        ),
        *(purchase(f"p{number}", day, bought(base)) for number, (day, base) in enumerate(spent)),
    ]


def _year(documents, profile=NORMAL):
    """Computations of the four quarters, each with those before it."""
    earlier, computations = [], []
    for code in ("Q1", "Q2", "Q3", "Q4"):
        computation = FORM.compute(given(code, *documents, profile=profile, earlier=earlier))
        boxes = {f"b{key}": value for key, value in computation.effective.items()}
        earlier.append(previous("130", code, **boxes))
        computations.append(computation)
    return computations


@samples(sales, costs, st.randoms(use_true_random=False))
def test_order_of_documents_changes_nothing(sold, spent, random):
    documents = _documents(sold, spent)
    shuffled = random.sample(documents, len(documents))

    assert FORM.compute(given("Q4", *documents)) == FORM.compute(given("Q4", *shuffled))


@samples(sales, costs)
def test_boxes_are_sums_of_their_evidence(sold, spent):
    computation = FORM.compute(given("Q4", *_documents(sold, spent), profile=NORMAL))

    for box in ("01", "02", "06"):
        parts = computation.evidence.get(box, ())
        assert sum((part.amount for part in parts), Decimal(0)) == computation.computed[box]


@samples(sales, costs)
def test_quarters_of_a_year_pay_what_the_highest_of_them_asks(sold, spent):
    """Without reduction, all that was paid until a quarter is the most that [04] less [06] has been until then."""
    computations = _year(_documents(sold, spent))
    paid = Decimal(0)

    for number, computation in enumerate(computations, start=1):
        paid += max(computation.result, Decimal(0))
        asked = [one.effective["04"] - one.effective["06"] for one in computations[:number]]
        assert paid == max(*asked, Decimal(0)) if len(asked) > 1 else max(asked[0], Decimal(0)) == paid


@samples(sales, costs)
def test_credit_note_of_everything_leaves_nothing(sold, spent):
    documents = _documents(sold, spent)
    reversed_sales = [
        replace(
            one,
            document_id=f"{one.document_id} back",
            taxes=tuple(replace(part, base=-part.base, amount=-part.amount) for part in one.taxes),
            retention=-one.retention,
        )
        for one in documents
        if one.document_id.startswith("s")
    ]

    computation = FORM.compute(given("Q4", *documents, *reversed_sales, profile=NORMAL))

    assert (Decimal(0), Decimal(0)) == (computation.computed["01"], computation.computed["06"])
