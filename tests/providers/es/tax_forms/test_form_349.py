"""Form 349, record by record; RD 1624/1992, arts. 78 to 81."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given as samples
from hypothesis import strategies as st
from income_books import (
    AMERICAN,
    FRENCH,
    GERMAN,
    SETTLED,
    amount,
    bought,
    credit,
    given,
    line,
    previous,
    purchase,
    sale,
    warned,
)

from ledgerkit.providers.api import Assessment, DocumentRef, PurchaseKind, TaxCategory, TaxPeriod
from ledgerkit.providers.es.tax_forms.lists.form_349 import Form349
from ledgerkit.providers.es.tax_forms.profile import FilingPeriod, SpanishTaxProfile
from ledgerkit.providers.es.tax_forms.vat.form_303 import Form303

JANUARY, FEBRUARY, MAY, AUGUST = (date(2026, month, 10) for month in (1, 2, 5, 8))
FORM = Form349()
SERVICE = {
    "record": "operator",
    "partyVatNumber": "DE123456788",
    "partyName": "Kunde GmbH",
    "operationKey": "S",
    "base": "1000.00",
}
GOODS = SERVICE | {"operationKey": "E"}
ACQUISITION = SERVICE | {"partyVatNumber": "FR40303265045", "partyName": "Fournisseur SARL", "operationKey": "A"}
RECTIFIED = {
    "record": "rectification",
    "partyVatNumber": "DE123456788",
    "partyName": "Kunde GmbH",
    "operationKey": "S",
    "correctedYear": "2026",
    "correctedPeriod": "1T",
    "correctedBase": "600.00",
    "declaredBase": "1000.00",
}


def service(base="1000"):
    return line(base, "0", category=TaxCategory.INTRA_EU_SERVICES)


def goods(base="1000"):
    return line(base, "0", category=TaxCategory.INTRA_EU_GOODS)


def sold(key="a", day=FEBRUARY, *lines, **more):
    return sale(key, day, *(lines or (service(),)), **{"client": GERMAN} | more)


def refund(key="r", day=MAY, base="-400", of=FEBRUARY, **more):
    return credit(
        key, day, service(base), **{"client": GERMAN, "corrects": (DocumentRef(number="a", issue_date=of),)} | more
    )


def acquired(key="a", day=FEBRUARY, base="1000", assessment=Assessment.INTRA_EU_GOODS, **more):
    return purchase(key, day, bought(base), assessment=assessment, **{"vendor": FRENCH} | more)


RECORDS = [
    # records, documents, source
    ([SERVICE], [sold()], "services sold: S"),
    ([GOODS], [sold("a", FEBRUARY, goods())], "goods sold: E"),
    ([GOODS | {"operationKey": "T"}], [sold("a", FEBRUARY, goods(), triangular=True)], "triangular: T"),
    ([ACQUISITION], [acquired()], "goods bought: A, without VAT"),
    ([ACQUISITION | {"operationKey": "I"}], [acquired(assessment=Assessment.INTRA_EU_SERVICES)], "services bought: I"),
    (
        [GOODS | {"base": "700.00"}, SERVICE | {"base": "300.00"}],
        [sold("a", FEBRUARY, goods("700"), service("300"))],
        "a record for each key",
    ),
    ([SERVICE], [sold("a", FEBRUARY, service("600")), sold("b", FEBRUARY, service("400"))], "one operator"),
    ([SERVICE], [sold(client=replace(GERMAN, tax_id="de 123 456 788"))], "the number in its normal form"),
    ([SERVICE], [sold(client=replace(GERMAN, tax_id="123456788"))], "a number without its prefix"),
    (
        [SERVICE | {"partyVatNumber": "EL123456783", "partyName": "Pelatis"}],
        [sold(client=replace(GERMAN, name="Pelatis", country="GR", tax_id="123456783"))],
        "Greece is EL",
    ),
    ([SERVICE], [sold("a", MAY, operation_date=FEBRUARY)], "by the date of the operation"),
    ([], [sold("a", FEBRUARY, operation_date=date(2025, 12, 30))], "operation of another period"),
    (
        [SERVICE | {"base": "600.00"}],
        [sold(), refund(day=FEBRUARY, of=FEBRUARY)],
        "a refund of the same period nets",
    ),
    ([], [sold(), refund(day=FEBRUARY, base="-1000")], "nothing is left of an operator"),
    ([], [sale("a", FEBRUARY)], "sales in Spain"),
    (
        [],
        [sale("a", FEBRUARY, line("10", "0", category=TaxCategory.NOT_SUBJECT), client=AMERICAN)],
        "services outside of the EU",
    ),
    (
        [SERVICE],
        [sold("a", FEBRUARY, line("1000", "0", category=TaxCategory.NOT_SUBJECT), place_of_supply="DE")],
        "not subject by its place, to who has a VAT number: as box 59 of form 303",
    ),
    (
        [GOODS],
        [sold("a", FEBRUARY, line("1000", "0", category=TaxCategory.EXEMPT, exemption_code="E5"))],
        "exempt by art. 25: as box 59 of form 303",
    ),
    (
        [GOODS | {"operationKey": "T"}],
        [sold("a", FEBRUARY, line("1000", "0", category=TaxCategory.EXEMPT, exemption_code="E5"), triangular=True)],
        "exempt by art. 25 and triangular",
    ),
    (
        [],
        [sold("a", FEBRUARY, line("1000", "0", category=TaxCategory.EXEMPT, exemption_code="E1"))],
        "exempt by art. 20",
    ),
    ([], [acquired(assessment=Assessment.REVERSE_CHARGE)], "other reverse charge"),
    ([], [acquired(triangular=True)], "triangular purchase"),
]


@pytest.mark.parametrize("row", RECORDS, ids=lambda row: row[-1])
def test_records(row):
    expected, documents, _ = row

    computation = FORM.compute(given("Q1", *documents))

    assert expected == [one.fields for one in computation.records]


def filed(code, *records, year=2026):
    return previous("349", code, year=year, records=records)


RECTIFICATIONS = [
    # records, documents, earlier declarations, source
    ([RECTIFIED], [refund()], [filed("Q1", SERVICE)], "new total, and base declared before"),
    ([RECTIFIED], [sold(), refund()], [], "nothing stored: what the documents of the period come to"),
    (
        [RECTIFIED | {"correctedBase": "1600.00", "declaredBase": "2000.00"}],
        [sold(), refund()],
        [filed("Q1", SERVICE | {"base": "2000.00"})],
        "what was declared counts, not the documents",
    ),
    (
        [RECTIFIED | {"correctedBase": "-400.00", "declaredBase": "0.00"}],
        [refund()],
        [filed("Q1", GOODS)],
        "nothing was declared of this key",
    ),
    (
        [RECTIFIED | {"correctedBase": "200.00", "declaredBase": "600.00"}],
        [refund(day=AUGUST)],
        [filed("Q1", SERVICE), filed("Q2", RECTIFIED)],
        "chained: from the last rectification",
    ),
    (
        [RECTIFIED | {"correctedBase": "100.00", "declaredBase": "600.00"}],
        [sold(), refund("r1"), refund("r2", AUGUST, "-500")],
        [],
        "chained, by the documents alone",
    ),
    (
        [RECTIFIED | {"correctedBase": "200.00", "declaredBase": "600.00"}],
        [refund(day=AUGUST)],
        [
            filed("Q1", SERVICE),
            filed("Q2", SERVICE, RECTIFIED | {"operationKey": "E", "correctedBase": "7.00"}, RECTIFIED),
        ],
        "chained: of the same key",
    ),
    (
        [RECTIFIED],
        [refund("r1", base="-300"), refund("r2", base="-100")],
        [filed("Q1", SERVICE)],
        "two corrections of one period",
    ),
    (
        [
            RECTIFIED
            | {"correctedYear": "2025", "correctedPeriod": "4T", "correctedBase": "500.00", "declaredBase": "900.00"},
            RECTIFIED,
        ],
        [refund("r1"), refund("r2", of=date(2025, 11, 1))],
        [filed("Q1", SERVICE), filed("Q4", SERVICE | {"base": "900.00"}, year=2025)],
        "a record for each period",
    ),
    (
        [SERVICE | {"base": "50.00"}, RECTIFIED],
        [sold("b", MAY, service("50")), refund()],
        [filed("Q1", SERVICE)],
        "beside the operations of the period",
    ),
]


@pytest.mark.parametrize("row", RECTIFICATIONS, ids=lambda row: row[-1])
def test_rectifications(row):
    expected, documents, earlier, _ = row
    code = "Q3" if any(one.issue_date == AUGUST for one in documents) else "Q2"

    computation = FORM.compute(given(code, *documents, earlier=earlier))

    assert expected == [one.fields for one in computation.records]


def test_rectification_of_a_purchase():
    back = acquired(
        "r", MAY, "-100", kind=PurchaseKind.CREDIT_NOTE, corrects=(DocumentRef(number="a", issue_date=FEBRUARY),)
    )

    (record,) = FORM.compute(given("Q2", acquired(), back)).records

    assert tuple(record.fields[key] for key in ("operationKey", "correctedBase", "declaredBase")) == (
        "A",
        "900.00",
        "1000.00",
    )


def test_months():
    computation = FORM.compute(given("M02", sold("a", JANUARY), refund(day=FEBRUARY, of=JANUARY)))

    (record,) = computation.records
    assert (record.fields["correctedPeriod"], record.fields["correctedBase"]) == ("01", "600.00")


def test_declarations_of_another_length_are_not_read():
    computation = FORM.compute(given("Q2", sold(), refund(), earlier=[filed("M02", SERVICE | {"base": "7.00"})]))

    (record,) = computation.records
    assert record.fields["declaredBase"] == "1000.00"


def test_totals_and_documents():
    documents = [sold("b", MAY), acquired("c", MAY), refund()]

    computation = FORM.compute(given("Q2", *documents, earlier=[filed("Q1", SERVICE)]))

    assert {key: str(box) for key, box in computation.computed.items()} == {
        "01": "2",
        "02": "2000.00",
        "03": "1",
        "04": "600.00",
    }
    assert [one.document_ids for one in computation.records] == [("b",), ("c",), ("r",)]
    assert {"b", "c", "r"} == computation.counted


WARNINGS = [
    # documents, expected, source
    ([sold(client=replace(GERMAN, tax_id=None))], {"vat_number_unknown": ("a",)}, "no number"),
    ([sold(client=replace(GERMAN, tax_id="DE1"))], {"vat_number_unknown": ("a",)}, "wrong structure"),
    ([sold(client=AMERICAN)], {"vat_number_unknown": ("a",)}, "outside of the EU"),
    (
        [refund(day=FEBRUARY, of=date(2024, 11, 1))],
        {"corrected_unknown": ("r",)},
        "older than what is stored and read",
    ),
    (
        [refund(day=FEBRUARY, corrects=())],
        {"base_below_zero": ("r",), "unreferenced_credit": ("r",)},
        "does not say what it corrects",
    ),
    (
        [
            sold(),
            refund(
                day=FEBRUARY,
                corrects=(DocumentRef(number="a", issue_date=FEBRUARY), DocumentRef(number="b", issue_date=FEBRUARY)),
            ),
        ],
        {"several_corrected": ("r",)},
        "several at once",
    ),
    ([acquired(triangular=True)], {"triangular_purchase": ("a",)}, "triangular purchase"),
    ([sold(), acquired("b")], {}, "nothing to warn of"),
]


@pytest.mark.parametrize("row", WARNINGS, ids=lambda row: row[-1])
def test_warnings(row):
    documents, expected, _ = row

    assert expected == warned(FORM.compute(given("Q1", *documents)))


def test_corrections_that_nobody_can_place_are_in_no_record():
    computation = FORM.compute(given("Q1", refund(day=FEBRUARY, of=date(2024, 11, 1))))

    assert computation.records == ()
    assert set() == computation.counted


def test_reads_a_year_back():
    span = FORM.ledger_span(TaxPeriod(2026, "Q2"))

    assert (date(2025, 4, 1), date(2026, 6, 30)) == (span.first, span.last)


def test_is_due_by_the_length_of_the_periods():
    assert FORM.is_due(SETTLED, TaxPeriod(2026, "Q1"))
    assert not FORM.is_due(SETTLED, TaxPeriod(2026, "M01"))
    assert FORM.is_due(SpanishTaxProfile(filing=FilingPeriod.MONTHLY), TaxPeriod(2026, "M01"))


VAT = Form303()


@samples(
    st.lists(
        st.tuples(
            st.sampled_from([TaxCategory.INTRA_EU_GOODS, TaxCategory.INTRA_EU_SERVICES, TaxCategory.NOT_SUBJECT]),
            st.integers(1, 500_000),
            st.sampled_from([GERMAN, FRENCH]),
        ),
        max_size=6,
    ),
    st.lists(st.tuples(st.booleans(), st.integers(1, 500_000)), max_size=6),
)
def test_agrees_with_form_303_of_the_quarter(supplies, acquisitions):
    documents = [
        sold(f"s{n}", FEBRUARY, line(Decimal(base) / 100, "0", category=category), client=client, place_of_supply="DE")
        for n, (category, base, client) in enumerate(supplies)
    ] + [
        acquired(
            f"p{n}",
            base=Decimal(base) / 100,
            assessment=Assessment.INTRA_EU_GOODS if of_goods else Assessment.INTRA_EU_SERVICES,
        )
        for n, (of_goods, base) in enumerate(acquisitions)
    ]
    declared = FORM.compute(given("Q1", *documents)).records

    boxes = VAT.compute(given("Q1", *documents)).computed

    assert boxes["59"] == _sum(declared, "ES"), "E + S"
    assert boxes["10"] == _sum(declared, "AI"), "A + I"


def _sum(records, keys):
    return sum((Decimal(one.fields["base"]) for one in records if one.fields["operationKey"] in keys), Decimal(0))


days = st.dates(date(2026, 1, 1), date(2026, 12, 31))
bases = st.integers(1, 500_000).map(lambda number: amount(Decimal(number) / 100))
clients = st.sampled_from([GERMAN, FRENCH, replace(GERMAN, tax_id=None)])
operations = st.lists(st.tuples(days, bases, clients, st.booleans()), max_size=8)
refunds = st.lists(st.tuples(st.integers(0, 7), days, st.integers(1, 100)), max_size=4)


def documents_of(sold_lines, returned):
    documents = [
        sold(f"s{n}", day, goods(str(base)) if of_goods else service(str(base)), client=client)
        for n, (day, base, client, of_goods) in enumerate(sold_lines)
    ]
    for n, (place, day, percent) in enumerate(returned):
        if place < len(documents) and day >= documents[place].issue_date:
            original = documents[place]
            (part,) = original.taxes
            back = replace(part, base=amount(-part.base * percent / 100))
            documents.append(
                credit(
                    f"r{n}",
                    day,
                    back,
                    client=original.client,
                    corrects=(DocumentRef(number=original.number, issue_date=original.issue_date),),
                )
            )
    return documents


def declared_year(documents, *, stored):
    """Bases that the four declarations of a year leave as the last word, by operator, key and quarter."""
    earlier, bases_declared = [], {}
    for code in ("Q1", "Q2", "Q3", "Q4"):
        computation = FORM.compute(given(code, *documents, earlier=earlier if stored else ()))
        for record in computation.records:
            fields = record.fields
            quarter = fields.get("correctedPeriod") or f"{code[1]}T"
            key = (fields["partyVatNumber"], fields["operationKey"], quarter)
            if fields["record"] == "rectification":
                assert Decimal(fields["declaredBase"]) == bases_declared.get(key, Decimal(0))
            bases_declared[key] = Decimal(fields.get("correctedBase") or fields["base"])
        earlier.append(filed(code, *(record.fields for record in computation.records)))
    return bases_declared


@samples(operations, refunds, st.booleans())
def test_a_year_of_declarations_comes_to_the_documents(sold_lines, returned, stored):
    documents = documents_of(sold_lines, returned)

    bases_declared = declared_year(documents, stored=stored)

    total = sum((part.base for one in documents for part in one.taxes), Decimal(0))
    assert total == sum(bases_declared.values(), Decimal(0))


@samples(operations, refunds, st.randoms(use_true_random=False))
def test_order_of_documents_changes_nothing(sold_lines, returned, random):
    documents = documents_of(sold_lines, returned)

    assert FORM.compute(given("Q3", *documents)) == FORM.compute(given("Q3", *random.sample(documents, len(documents))))


LENGTHS = [
    # period, documents, quarters named
    ("Q1", [sold("a", FEBRUARY, goods("50000"))], []),
    ("Q1", [sold("a", FEBRUARY, goods("30000")), sold("b", FEBRUARY, service("20000.01"))], ["1T 2026"]),
    ("Q1", [acquired(base="90000")], []),
    ("Q2", [sold("a", FEBRUARY, goods("60000"))], ["1T 2026"]),
    ("Q1", [sold("a", date(2025, 2, 10), goods("60000"))], ["1T 2025"]),
    ("Q1", [sold("a", date(2025, 2, 10), goods("60000")), sold("b", FEBRUARY, goods("60000"))], ["1T 2025", "1T 2026"]),
    ("M02", [sold("a", FEBRUARY, goods("60000"))], []),
]


@pytest.mark.parametrize("row", LENGTHS, ids=lambda row: f"{row[0]} {len(row[1])} {row[2]}")
def test_above_50_000_in_a_quarter_it_is_filed_by_months(row):
    """RIVA art. 81.1: quarterly while neither this quarter nor any of the four before is above it."""
    period, documents, quarters = row
    warnings = [
        one for one in FORM.compute(given(period, *documents)).warnings if one.code == "list_forms.monthly_periods"
    ]

    assert [one.message.in_language("es").count("T 20") for one in warnings] == ([len(quarters)] if quarters else [])
    assert all(quarter in one.message.in_language("es") for one in warnings for quarter in quarters)
