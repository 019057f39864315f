"""Form 111, box by box; AEAT, design of form 111; RD 439/2007, arts. 75 to 108."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given as samples
from hypothesis import strategies as st
from income_books import (
    GERMAN,
    SETTLED,
    VENDOR,
    amount,
    bought,
    codes,
    given,
    paid,
    previous,
    professional,
    purchase,
    rent,
    wages,
    warned,
)

from ledgerkit.providers.api import (
    Amendment,
    DocumentRef,
    FiledDocument,
    Party,
    PurchaseKind,
    ResultKind,
    RetentionKind,
    TaxPeriod,
)
from ledgerkit.providers.es.tax_forms.income.form_111 import Form111
from ledgerkit.providers.es.tax_forms.profile import FilingPeriod, SpanishTaxProfile, WithholdingDate
from ledgerkit.texts import languages

FEBRUARY, MARCH, APRIL = date(2026, 2, 10), date(2026, 3, 10), date(2026, 4, 10)
OTHER_PAYEE = Party(name="Otra", tax_id="00000014Z", country="ES")
IN_KIND = RetentionKind.EMPLOYMENT_IN_KIND
FORM = Form111()
BY_DOCUMENT = SETTLED.model_copy(update={"withholding_date": WithholdingDate.DOCUMENT})

BOXES = [
    # boxes, documents, source
    ({"01": "1", "02": "2000.00", "03": "300.00", "28": "300.00"}, [wages("a", FEBRUARY)], "employment, in cash"),
    ({"01": "1", "02": "2000.00", "03": "0.00"}, [wages("a", FEBRUARY, withheld="0")], "wages without retention"),
    ({"01": "1", "02": "4000.00"}, [wages("a", FEBRUARY), wages("b", MARCH)], "a payee counts once"),
    ({"01": "2"}, [wages("a", FEBRUARY), wages("b", MARCH, vendor=OTHER_PAYEE)], "two payees"),
    (
        {"01": "1", "04": "1", "05": "100.00", "06": "15.00", "28": "315.00"},
        [wages("a", FEBRUARY), wages("b", FEBRUARY, "100", "15", retention_kind=IN_KIND)],
        "a payee counts in each box",
    ),
    ({"07": "1", "08": "1000.00", "09": "150.00", "28": "150.00"}, [professional("a", FEBRUARY)], "professional"),
    ({"08": "1000.00", "09": "70.00"}, [professional("a", FEBRUARY, rate="7")], "new professional"),
    (
        {"07": "1", "08": "600.00", "09": "90.00"},
        [professional("a", FEBRUARY), professional("b", MARCH, "-400")],
        "credit note received in the quarter",
    ),
    (
        {"07": "0", "08": "0.00", "09": "0.00"},
        [professional("a", FEBRUARY), professional("b", MARCH, "-1000")],
        "payee of whom nothing is left",
    ),
    ({"07": "0", "28": "0.00"}, [rent("a", FEBRUARY)], "rents are of form 115"),
    ({"07": "0", "28": "0.00"}, [professional("a", APRIL)], "of the next quarter"),
    (
        {"07": "1", "08": "1000.00"},
        [professional("a", FEBRUARY, vendor=replace(VENDOR, tax_id="1-R"), category="professional")],
        "payee by its normal tax id",
    ),
    (
        {"07": "1"},
        [
            professional("a", FEBRUARY, vendor=replace(VENDOR, tax_id="00000001-r")),
            professional("b", FEBRUARY, vendor=replace(VENDOR, name="J. Pérez")),
        ],
        "one tax id, two spellings",
    ),
    (
        {"07": "1", "08": "1000.00", "09": "150.00"},
        [professional("a", FEBRUARY, retention_kind=None, category="professional")],
        "certain by its category",
    ),
    (
        {"07": "1", "08": "1000.00"},
        [professional("a", date(2025, 12, 1), payments=(paid(FEBRUARY, "500"), paid(APRIL, "560")))],
        "by the first payment",
    ),
    (
        {"07": "0"},
        [professional("a", FEBRUARY, payments=(paid(APRIL, "1060"),))],
        "paid in the next quarter",
    ),
    (
        {"07": "0", "08": "0.00"},
        [professional("a", FEBRUARY, payments=())],
        "not paid yet",
    ),
    (
        {"07": "0"},
        [professional("a", FEBRUARY, payments=(paid(date(2026, 1, 1), "-5"),))],
        "money given back is no payment",
    ),
]


@pytest.mark.parametrize("row", BOXES, ids=lambda row: row[-1])
def test_boxes(row):
    expected, documents, _ = row

    computation = FORM.compute(given("Q1", *documents))

    assert expected == {key: str(computation.computed[key]) for key in expected}


def test_document_date_is_a_choice_of_the_profile():
    document = professional("a", FEBRUARY, payments=(paid(APRIL, "1060"),))

    computation = FORM.compute(given("Q1", document, profile=BY_DOCUMENT))

    assert Decimal("150.00") == computation.result


def test_groups_without_documents_are_filled_by_hand_and_count():
    overrides = {"10": "1", "12": "10", "15": "20", "18": "30", "21": "40", "24": "50", "27": "60", "29": "5"}

    computation = FORM.compute(given("Q1", overrides=overrides))

    assert [str(computation.effective[key]) for key in ("28", "30")] == ["210.00", "205.00"]
    assert [str(computation.computed[key]) for key in ("28", "30")] == ["0.00", "0.00"]


def test_complementary_pays_the_difference():
    computation = FORM.compute(
        given(
            "Q1",
            professional("a", FEBRUARY),
            earlier=[previous("111", "Q1", b30="100"), previous("111", "Q1", b30="20")],
            amends=Amendment(receipt_number="1111234567890"),
        )
    )

    assert [str(computation.effective[key]) for key in ("28", "29", "30")] == ["150.00", "120.00", "30.00"]


def test_complementary_of_less_is_warned_of():
    amends = Amendment(receipt_number="1111234567890")

    computation = FORM.compute(given("Q1", earlier=[previous("111", "Q1", b30="100")], amends=amends))

    assert codes(computation) == ["complementary_lower"]


def test_unknown_kind_reaches_no_box_and_is_warned_of():
    payments = (paid(FEBRUARY, "1060"),)
    unknown = purchase("a", FEBRUARY, bought("1000"), retention="150", category="office", payments=payments)

    computation = FORM.compute(given("Q1", unknown))

    assert Decimal(0) == computation.result
    assert warned(computation) == {"kind_unknown": ("a",)}
    assert computation.counted == set()


def test_what_is_not_paid_is_named_and_counts_when_it_is():
    """RD 439/2007, art. 78.1: the duty arises with the payment."""
    unpaid = professional("a", FEBRUARY, payments=())

    computation = FORM.compute(given("Q1", unpaid))

    assert computation.result == 0
    assert warned(computation) == {"withheld_when_paid": ("a",)}


def test_what_was_declared_once_stays_there_whenever_it_is_paid():
    """Documents of before this rule were declared by their date."""
    late = professional("a", FEBRUARY, payments=(paid(APRIL, "1060"),))
    filed = (FiledDocument(form="111", period=TaxPeriod(2026, "Q1"), document_id="a", boxes=frozenset({"08", "09"})),)

    first, second = (FORM.compute(replace(given(code, late), filed=filed)) for code in ("Q1", "Q2"))

    assert (first.result, second.result) == (Decimal("150.00"), 0)


def test_a_credit_note_counts_with_the_payment_of_what_it_corrects():
    """A credit note is set off against the invoice and never paid itself."""
    alone = professional("c", FEBRUARY, base="-400", kind=PurchaseKind.CREDIT_NOTE, payments=())
    waiting = replace(alone, corrects=(DocumentRef(number="a", issue_date=FEBRUARY),))
    settled = replace(waiting, corrected_paid_on=APRIL)
    paid_in_april = professional("a", FEBRUARY, payments=(paid(APRIL, "636"),))
    others = [professional("b", FEBRUARY), professional("d", APRIL)]

    results = [
        [FORM.compute(given(code, note, paid_in_april, *others)).result for code in ("Q1", "Q2")]
        for note in (waiting, settled, alone)
    ]

    assert results == [[150, 300], [150, 240], [90, 300]]


def test_other_kind_is_warned_of():
    other = professional("a", FEBRUARY, retention_kind=RetentionKind.OTHER)

    assert warned(FORM.compute(given("Q1", other))) == {"kind_other": ("a",)}


def test_payees_outside_spain_are_warned_of():
    computation = FORM.compute(given("Q1", professional("a", FEBRUARY, vendor=GERMAN)))

    assert warned(computation) == {"non_resident": ("a",)}
    assert Decimal(0) == computation.result


def test_payee_without_tax_id_counts_by_name_and_is_warned_of():
    nobody = Party(name="Sin  nif", tax_id=None, country="ES")
    documents = [
        professional("a", FEBRUARY, vendor=nobody),
        professional("b", FEBRUARY, vendor=replace(nobody, name="SIN NIF")),
    ]

    computation = FORM.compute(given("Q1", *documents))

    assert Decimal(1) == computation.computed["07"]
    assert warned(computation) == {"payee_unknown": ("a", "b")}


def test_less_than_zero_stays_at_zero_and_is_warned_of():
    computation = FORM.compute(given("Q1", professional("a", FEBRUARY, "-400"), wages("b", FEBRUARY)))

    assert [str(computation.computed[key]) for key in ("07", "09", "28")] == ["0", "0.00", "300.00"]
    assert warned(computation) == {"below_zero": ("a",)}


def test_purchases_without_retention_are_not_declared():
    plain = purchase("a", FEBRUARY)

    computation = FORM.compute(given("Q1", plain, professional("b", FEBRUARY)))

    assert {"b"} == computation.counted
    assert codes(computation) == []


def test_month():
    computation = FORM.compute(given("M02", professional("a", FEBRUARY), professional("b", MARCH)))

    assert Decimal("150.00") == computation.result


@pytest.mark.parametrize(
    ("documents", "letters", "kind"),
    [([professional("a", FEBRUARY)], ["I", "U", "G"], ResultKind.PAY), ([], ["N"], ResultKind.NONE)],
)
def test_declaration_types(documents, letters, kind):
    computation = FORM.compute(given("Q1", *documents))

    assert (letters, kind) == (list(computation.declaration_types), computation.result_kind)


def test_is_due_by_the_length_of_the_periods():
    monthly = SpanishTaxProfile(filing=FilingPeriod.MONTHLY)

    assert FORM.is_due(SETTLED, TaxPeriod(2026, "Q1"))
    assert not FORM.is_due(SETTLED, TaxPeriod(2026, "M01"))
    assert FORM.is_due(monthly, TaxPeriod(2026, "M01"))
    assert not FORM.is_due(monthly, TaxPeriod(2026, "Q1"))


def test_every_box_is_named_in_all_languages():
    boxes = FORM.boxes(TaxPeriod(2026, "Q1"))

    assert [f"{number:02d}" for number in range(1, 31)] == list(boxes)
    for language in languages():
        assert len(boxes) == len({box.name.in_language(language) for box in boxes.values()})


def test_unknown_override_is_refused():
    with pytest.raises(ValueError, match="31"):
        FORM.compute(given("Q1", overrides={"31": "1"}))


days = st.dates(date(2026, 1, 1), date(2026, 12, 31))
cents = st.integers(100, 1_000_000).map(lambda number: amount(Decimal(number) / 100))
payees = st.sampled_from([VENDOR, OTHER_PAYEE, Party(name="X", tax_id=None, country="ES")])
incomes = st.lists(st.tuples(st.sampled_from([professional, wages]), days, cents, payees, st.booleans()), max_size=10)


def documents_of(drawn):
    """Documents of which some were paid sixty days later."""
    return [
        make(
            f"d{number}",
            day,
            base,
            vendor=vendor,
            payments=(paid(date.fromordinal(min(day.toordinal() + 60, date(2026, 12, 31).toordinal())), "1"),)
            if late
            else (paid(day, "1"),),
        )
        for number, (make, day, base, vendor, late) in enumerate(drawn)
    ]


@samples(incomes, st.randoms(use_true_random=False))
def test_order_of_documents_changes_nothing(drawn, random):
    documents = documents_of(drawn)

    assert FORM.compute(given("Q2", *documents)) == FORM.compute(given("Q2", *random.sample(documents, len(documents))))


@samples(incomes)
def test_quarters_hold_every_document_once(drawn):
    documents = documents_of(drawn)

    quarters = [FORM.compute(given(code, *documents)) for code in ("Q1", "Q2", "Q3", "Q4")]

    assert sorted(one.document_id for one in documents) == sorted(key for one in quarters for key in one.counted)
    assert sum((one.retention for one in documents), Decimal(0)) == sum(one.result for one in quarters)


@samples(incomes)
def test_boxes_are_sums_of_their_evidence(drawn):
    computation = FORM.compute(given("Q2", *documents_of(drawn)))

    for key, parts in computation.evidence.items():
        assert sum(part.amount for part in parts) == computation.computed[key]
