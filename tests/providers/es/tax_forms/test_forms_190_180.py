"""Forms 190 and 180, record by record, and their agreement with the four 111 and 115; RD 439/2007, art. 108."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given as samples
from hypothesis import strategies as st
from income_books import (
    LANDLORD,
    PROPERTY,
    SETTLED,
    VENDOR,
    amount,
    codes,
    given,
    paid,
    professional,
    rent,
    wages,
    warned,
)

from ledgerkit.providers.api import Party, RetentionKind, TaxPeriod
from ledgerkit.providers.es.tax_forms.income.form_111 import Form111
from ledgerkit.providers.es.tax_forms.income.form_115 import Form115
from ledgerkit.providers.es.tax_forms.lists.form_180 import Form180
from ledgerkit.providers.es.tax_forms.lists.form_190 import Form190
from ledgerkit.providers.es.territories import province_code

FEBRUARY, JUNE = date(2026, 2, 10), date(2026, 6, 10)
QUARTERS = ("Q1", "Q2", "Q3", "Q4")
PAYEE = {
    "record": "recipient",
    "partyTaxId": "00000001R",
    "partyName": "Pérez Núñez, José",
    "province": "08",
    "key": "G",
    "subkey": "01",
    "amount": "1000.00",
    "retention": "150.00",
    "amountInKind": "0.00",
    "paymentOnAccount": "0.00",
}
EMPLOYEE = PAYEE | {
    "key": "A",
    "subkey": "",
    "amount": "2000.00",
    "retention": "300.00",
    "birthYear": "1990",
    "familySituation": "3",
    "spouseTaxId": None,
    "contract": "1",
    "disability": "0",
    "mobility": "0",
}
LET = {
    "record": "recipient",
    "partyTaxId": "A58818501",
    "partyName": "Locales SA",
    "province": "28",
    "modality": "1",
    "base": "1000.00",
    "rate": "19.00",
    "retention": "190.00",
    "propertySituation": "1",
    "cadastralReference": PROPERTY,
}
OTHER_PROPERTY = "4 CB43A 44".replace(" ", "")

RECORDS_190 = [
    # records, documents, source
    ([PAYEE], [professional("a", FEBRUARY)], "professional, 15 %: G01"),
    (
        [PAYEE | {"subkey": "03", "retention": "70.00"}],
        [professional("a", FEBRUARY, rate="7")],
        "professional, 7 % in the first years: G03",
    ),
    (
        [PAYEE, PAYEE | {"subkey": "03", "amount": "500.00", "retention": "35.00"}],
        [professional("a", FEBRUARY), professional("b", JUNE, "500", rate="7")],
        "both of one payee",
    ),
    (
        [PAYEE | {"amount": "1500.00", "retention": "225.00"}],
        [professional("a", FEBRUARY), professional("b", JUNE, "500")],
        "one record for the year",
    ),
    (
        [EMPLOYEE],
        [wages("a", FEBRUARY)],
        "employee: A",
    ),
    (
        [EMPLOYEE | {"amount": "2500.00"}],
        [wages("a", FEBRUARY), wages("b", JUNE, "500", "0")],
        "a wage of which nothing is withheld",
    ),
    (
        [EMPLOYEE | {"amountInKind": "100.00", "paymentOnAccount": "15.00"}],
        [
            wages("a", FEBRUARY),
            wages("b", FEBRUARY, "100", "15", retention_kind=RetentionKind.EMPLOYMENT_IN_KIND),
        ],
        "in cash and in kind in one record",
    ),
    (
        [PAYEE | {"amount": "-200.00", "retention": "-30.00"}],
        [professional("a", FEBRUARY, "-200")],
        "below zero with its sign",
    ),
    (
        [PAYEE | {"partyName": "José Pérez"}],
        [
            professional("a", FEBRUARY, "400"),
            professional("b", JUNE, "600", vendor=replace(VENDOR, name="José Pérez")),
        ],
        "the name of the newest document",
    ),
    ([], [rent("a", FEBRUARY)], "rents are of form 180"),
    ([], [professional("a", FEBRUARY, payments=(paid(date(2027, 1, 4), "1060"),))], "paid in the next year"),
]

RECORDS_180 = [
    ([LET], [rent("a", FEBRUARY)], "landlord with a property"),
    (
        [LET | {"base": "2000.00", "retention": "380.00"}],
        [rent("a", FEBRUARY), rent("b", JUNE)],
        "one record for the year",
    ),
    (
        [LET | {"cadastralReference": None, "propertySituation": None}],
        [rent("a", FEBRUARY, leased_property=None)],
        "no reference, no situation",
    ),
    (
        [LET | {"cadastralReference": OTHER_PROPERTY, "propertySituation": None}, LET],
        [rent("a", FEBRUARY), rent("b", FEBRUARY, leased_property=OTHER_PROPERTY)],
        "a record for each property",
    ),
    (
        [LET | {"rate": "9.50", "retention": "95.00"}, LET],
        [rent("a", FEBRUARY), rent("b", FEBRUARY, rate="9.5")],
        "a record for each rate",
    ),
    (
        [LET | {"base": "10.05", "retention": "1.91"}],
        [rent("a", FEBRUARY, "10.05")],
        "the rate is the one in force, not 1.91 / 10.05 = 19.005",
    ),
    (
        [LET | {"rate": "24.00", "retention": "240.00"}],
        [rent("a", FEBRUARY, rate="24")],
        "another rate is that of the amounts",
    ),
    ([LET], [rent("a", FEBRUARY, leased_property=f" {PROPERTY[:7]} {PROPERTY[7:].lower()}")], "reference with blanks"),
    ([], [professional("a", FEBRUARY)], "professionals are of form 190"),
]


@pytest.mark.parametrize("row", RECORDS_190, ids=lambda row: row[-1])
def test_records_of_190(row):
    expected, documents, _ = row

    computation = Form190().compute(given("Y", *documents))

    assert expected == [one.fields for one in computation.records]


@pytest.mark.parametrize("row", RECORDS_180, ids=lambda row: row[-1])
def test_records_of_180(row):
    expected, documents, _ = row

    computation = Form180().compute(given("Y", *documents))

    assert expected == [one.fields for one in computation.records]


def test_records_name_their_documents():
    documents = [professional("b", FEBRUARY), professional("a", JUNE), wages("c", JUNE)]

    computation = Form190().compute(given("Y", *documents))

    assert [one.document_ids for one in computation.records] == [("c",), ("a", "b")]
    assert {"a", "b", "c"} == computation.counted


def test_totals_of_190():
    documents = [
        wages("a", FEBRUARY),
        wages("b", FEBRUARY, "100", "15", retention_kind=RetentionKind.EMPLOYMENT_IN_KIND),
        professional("c", JUNE),
    ]

    computation = Form190().compute(given("Y", *documents))

    assert {key: str(box) for key, box in computation.computed.items()} == {"01": "2", "02": "3100.00", "03": "465.00"}
    assert computation.declaration_types == {}


def test_totals_of_180():
    computation = Form180().compute(given("Y", rent("a", FEBRUARY), rent("b", JUNE, vendor=VENDOR)))

    assert {key: str(box) for key, box in computation.computed.items()} == {"01": "2", "02": "2000.00", "03": "380.00"}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (professional("a", FEBRUARY, rate="19"), {"rate_unusual": ("a",)}),
        (
            professional("a", FEBRUARY, vendor=replace(VENDOR, province=None, postal_code=None)),
            {"province_unknown": ("a",)},
        ),
        (
            professional("a", FEBRUARY, vendor=replace(VENDOR, tax_id=None)),
            {"payee_unknown": ("a",), "party_unknown": ("a",)},
        ),
        (wages("a", FEBRUARY), {}),
        (wages("a", FEBRUARY, vendor=replace(VENDOR, tax_id="12345678Z")), {"employee_details": ("a",)}),
        (professional("a", FEBRUARY, retention_kind=None), {"kind_unknown": ("a",)}),
        (professional("a", FEBRUARY, retention_kind=RetentionKind.OTHER), {"kind_other": ("a",)}),
        (professional("a", FEBRUARY), {}),
    ],
)
def test_warnings_of_190(document, expected):
    assert expected == warned(Form190().compute(given("Y", document)))


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (rent("a", FEBRUARY, leased_property=None), {"property_unknown": ("a",)}),
        (rent("a", FEBRUARY, leased_property="123"), {"property_unknown": ("a",)}),
        (rent("a", FEBRUARY, vendor=replace(LANDLORD, postal_code=None)), {}),
        (rent("a", FEBRUARY, vendor=replace(LANDLORD, postal_code=None, province="?")), {"province_unknown": ("a",)}),
        (rent("a", FEBRUARY), {}),
    ],
)
def test_warnings_of_180(document, expected):
    assert expected == warned(Form180().compute(given("Y", document)))


@pytest.mark.parametrize(
    ("party", "expected"),
    [
        (Party(name="x", tax_id=None, country="ES", postal_code="28001"), "28"),
        (Party(name="x", tax_id=None, country="ES", postal_code="01001", province="Madrid"), "01"),
        (Party(name="x", tax_id=None, country="ES", postal_code="99999", province="Bizkaia"), "48"),
        (Party(name="x", tax_id=None, country="ES", province="A CORUÑA"), "15"),
        (Party(name="x", tax_id=None, country="ES", province="Coruna"), "15"),
        (Party(name="x", tax_id=None, country="ES", province="santa cruz de  tenerife"), "38"),
        (Party(name="x", tax_id=None, country="ES", province="Castelló"), "12"),
        (Party(name="x", tax_id=None, country="ES", province="Melilla"), "52"),
        (Party(name="x", tax_id=None, country="ES", province="Narnia"), None),
        (Party(name="x", tax_id=None, country="ES"), None),
        (Party(name="x", tax_id=None, country="FR", postal_code="28001"), "99"),
    ],
)
def test_province_code(party, expected):
    assert expected == province_code(party), "INE; record designs: 99 for who is abroad"


def test_boxes_and_periods():
    for form in (Form190(), Form180()):
        assert list(form.boxes(TaxPeriod(2026, "Y"))) == ["01", "02", "03"]
        assert form.periods(2026) == ("Y",)
        assert form.is_due(SETTLED, TaxPeriod(2025, "Y"))


days = st.dates(date(2026, 1, 1), date(2026, 12, 31))
cents = st.integers(100, 1_000_000).map(lambda number: amount(Decimal(number) / 100))
parties = st.sampled_from([VENDOR, LANDLORD, Party(name="X", tax_id=None, country="ES")])
drawn_documents = st.lists(st.tuples(st.sampled_from([professional, wages, rent]), days, cents, parties), max_size=12)


def documents_of(drawn):
    return [make(f"d{number}", day, base, vendor=vendor) for number, (make, day, base, vendor) in enumerate(drawn)]


def total(computations, *keys):
    return sum((one.computed[key] for one in computations for key in keys), Decimal(0))


@samples(drawn_documents)
def test_190_equals_the_four_111(drawn):
    documents = documents_of(drawn)
    quarters = [Form111().compute(given(code, *documents)) for code in QUARTERS]

    year = Form190().compute(given("Y", *documents))

    assert total(quarters, "02", "05", "08") == year.computed["02"]
    assert total(quarters, "28") == year.computed["03"]
    assert frozenset().union(*(one.counted for one in quarters)) == year.counted


@samples(drawn_documents)
def test_180_equals_the_four_115(drawn):
    documents = documents_of(drawn)
    quarters = [Form115().compute(given(code, *documents)) for code in QUARTERS]

    year = Form180().compute(given("Y", *documents))

    assert total(quarters, "02") == year.computed["02"]
    assert total(quarters, "03") == year.computed["03"]
    assert frozenset().union(*(one.counted for one in quarters)) == year.counted


@samples(drawn_documents, st.sampled_from([Form190(), Form180()]), st.randoms(use_true_random=False))
def test_records_add_up_to_the_boxes_in_any_order(drawn, form, random):
    documents = documents_of(drawn)

    computation = form.compute(given("Y", *documents))

    amounts = [Decimal(one.fields.get("base") or one.fields["amount"]) for one in computation.records]
    assert sum(amounts, Decimal(0)) == computation.computed["02"]
    assert len(amounts) == computation.computed["01"]
    assert computation == form.compute(given("Y", *random.sample(documents, len(documents))))


def test_documents_of_another_year_are_not_declared():
    documents = [professional("a", date(2025, 12, 31)), rent("b", date(2027, 1, 1))]

    assert codes(Form190().compute(given("Y", *documents))) == []
    assert Form190().compute(given("Y", *documents)).records == ()
    assert Form180().compute(given("Y", *documents)).records == ()
