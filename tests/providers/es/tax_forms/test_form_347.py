"""Form 347, record by record; RD 1065/2007, arts. 31 to 35."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given as samples
from hypothesis import strategies as st
from income_books import (
    AMERICAN,
    CLIENT,
    FRENCH,
    GERMAN,
    PROPERTY,
    SETTLED,
    VENDOR,
    amount,
    bought,
    credit,
    given,
    line,
    paid,
    purchase,
    rent,
    sale,
    wages,
    warned,
)

from ledgerkit.providers.api import (
    Assessment,
    DocumentKind,
    Party,
    PurchaseKind,
    RetentionKind,
    TaxCategory,
    TaxPeriod,
)
from ledgerkit.providers.es.tax_forms.lists.form_347 import Form347, third_party_limits
from ledgerkit.providers.es.tax_forms.profile import CensusChange, FilingPeriod, SpanishTaxProfile

FEBRUARY, MAY, AUGUST, NOVEMBER = (date(2026, month, 10) for month in (2, 5, 8, 11))
FORM = Form347()
WITH_CASH_ACCOUNTING = SETTLED.model_copy(update={"cash_accounting": True})
WITH_WITHHELD = SETTLED.model_copy(update={"declares_withheld_sales": True})

SOLD = {
    "record": "declared",
    "partyTaxId": "B29805314",
    "partyName": "Cliente SL",
    "province": "29",
    "country": None,
    "euVatNumber": None,
    "operationKey": "B",
    "amount": "4840.00",
    "businessLease": False,
    "reverseCharge": False,
    "cashAccounting": False,
    "cashAccountingAmount": "0.00",
    "cashAmount": "0.00",
    "cashYear": None,
    "q1Amount": "4840.00",
    "q2Amount": "0.00",
    "q3Amount": "0.00",
    "q4Amount": "0.00",
}
BOUGHT = SOLD | {
    "partyTaxId": "00000001R",
    "partyName": "Pérez Núñez, José",
    "province": "08",
    "operationKey": "A",
}
NOTHING_IN_QUARTERS = {f"q{number}Amount": "0.00" for number in range(1, 5)}


def sold(key="a", day=FEBRUARY, base="4000", **more):
    return sale(key, day, line(base), **more)


def spent(key="a", day=FEBRUARY, base="4000", **more):
    return purchase(key, day, bought(base), **more)


RECORDS = [
    # records, documents, source
    ([SOLD], [sold()], "4,000 and VAT"),
    ([BOUGHT], [spent()], "purchases: A"),
    ([BOUGHT, SOLD], [sold(), spent("b")], "both"),
    ([], [sold(base="2483.52")], "2,483.52 x 1.21 = 3,005.06, not above the limit"),
    ([SOLD | {"amount": "3005.07", "q1Amount": "3005.07"}], [sold(base="2483.53")], "3,005.07 is above it"),
    ([], [sold(base="2000"), spent("b", base="2000", vendor=CLIENT)], "sales and purchases apart"),
    (
        [SOLD | {"q1Amount": "1210.00", "q2Amount": "1210.00", "q3Amount": "1210.00", "q4Amount": "1210.00"}],
        [sold(str(day), day, "1000") for day in (FEBRUARY, MAY, AUGUST, NOVEMBER)],
        "by quarters",
    ),
    (
        [SOLD | {"amount": "3630.00", "q3Amount": "-1210.00"}],
        [sold(), credit("b", AUGUST, line("-1000"))],
        "a credit note in its own quarter",
    ),
    ([], [sold(), credit("b", AUGUST, line("-2000"))], "a credit note below the limit: 2,420"),
    (
        [SOLD | {"amount": "-4840.00", "q1Amount": "-4840.00"}],
        [credit("a", FEBRUARY, line("-4000"))],
        "less than zero by its absolute amount",
    ),
    ([], [sold(retention="600")], "sales of which the client withholds: it declares them in form 190"),
    (
        [SOLD],
        [sold("a", base="2000"), sold("b", base="2000", client=replace(CLIENT, tax_id="b-29805314"))],
        "one tax id, two spellings",
    ),
    (
        [SOLD | {"amount": "4052.00", "q1Amount": "4052.00"}],
        [sale("a", FEBRUARY, line("4000", surcharge_amount=Decimal("52.00"), surcharge_rate=Decimal("1.3"), rate="0"))],
        "with surcharge",
    ),
    (
        [SOLD | {"amount": "4000.00", "q1Amount": "4000.00"}],
        [sale("a", FEBRUARY, line("4000", "0", category=TaxCategory.EXEMPT))],
        "exempt sales are declared",
    ),
    (
        [SOLD | {"amount": "4000.00", "q1Amount": "4000.00", "reverseCharge": True}],
        [sale("a", FEBRUARY, line("4000", "0", category=TaxCategory.REVERSE_CHARGE))],
        "reverse charge: marked",
    ),
    (
        [
            SOLD | {"amount": "2420.00", "q1Amount": "2420.00"},
            SOLD | {"amount": "2000.00", "q1Amount": "2000.00", "reverseCharge": True},
        ],
        [sale("a", FEBRUARY, line("2000"), line("2000", "0", category=TaxCategory.REVERSE_CHARGE))],
        "reverse charge: a record of its own, and one limit",
    ),
    (
        [BOUGHT | {"amount": "4000.00", "q1Amount": "4000.00", "reverseCharge": True}],
        [spent(assessment=Assessment.REVERSE_CHARGE)],
        "reverse charge of a purchase: what the vendor charges",
    ),
    ([], [sale("a", FEBRUARY, line("4000", "0", category=TaxCategory.EXPORT))], "exports"),
    (
        [],
        [sale("a", FEBRUARY, line("4000", "0", category=TaxCategory.INTRA_EU_GOODS), client=GERMAN)],
        "goods sold in the EU are of form 349",
    ),
    (
        [],
        [sale("a", FEBRUARY, line("4000", "0", category=TaxCategory.INTRA_EU_SERVICES), client=GERMAN)],
        "services sold in the EU are of form 349",
    ),
    (
        [],
        [sale("a", FEBRUARY, line("4000", "0", category=TaxCategory.EXEMPT, exemption_code="E2"))],
        "exempt as an export",
    ),
    (
        [],
        [
            sale(
                "a",
                FEBRUARY,
                line("4000", "0", category=TaxCategory.NOT_SUBJECT),
                client=GERMAN,
                place_of_supply="DE",
            )
        ],
        "not subject by its place, to who has a VAT number: form 349",
    ),
    ([], [spent(assessment=Assessment.INTRA_EU_GOODS, vendor=FRENCH)], "bought in the EU: form 349"),
    ([], [spent(assessment=Assessment.INTRA_EU_SERVICES, vendor=FRENCH)], "services bought in the EU"),
    ([], [spent(kind=PurchaseKind.IMPORT)], "imports"),
    ([], [wages("a", FEBRUARY, "9000", "0")], "wages"),
    ([], [spent(kind=PurchaseKind.NO_INVOICE)], "fees and taxes have no invoice"),
    ([], [spent(retention="600")], "purchases with retention are of form 190"),
    ([], [rent("a", FEBRUARY, "9000")], "rents with retention are of form 180"),
    (
        [BOUGHT | {"businessLease": True}],
        [spent(leased_property=PROPERTY)],
        "rent without retention: marked",
    ),
    (
        [SOLD | {"businessLease": True}],
        [sale("a", FEBRUARY, line("4000", regime_key="11"))],
        "letting of premises: marked",
    ),
    (
        [],
        [sale("a", FEBRUARY, line("4000", regime_key="11"), retention="760")],
        "letting of which the tenant withholds: it declares it in form 180",
    ),
    ([], [sold(client=None, kind=DocumentKind.SIMPLIFIED)], "a simplified invoice that names nobody"),
    (
        [SOLD | {"partyTaxId": None, "partyName": "Customer Inc", "province": "99", "country": "US"}],
        [sold(client=AMERICAN)],
        "abroad: province 99 and country",
    ),
    (
        [
            SOLD
            | {
                "partyTaxId": None,
                "partyName": "Kunde GmbH",
                "province": "99",
                "country": "DE",
                "euVatNumber": "DE123456788",
            }
        ],
        [sold(client=GERMAN)],
        "taxed in Spain, of another member state",
    ),
    ([], [sold(day=date(2025, 12, 31), operation_date=FEBRUARY)], "by the invoice's date"),
]


@pytest.mark.parametrize("row", RECORDS, ids=lambda row: row[-1])
def test_records(row):
    expected, documents, _ = row

    computation = FORM.compute(given("Y", *documents))

    assert expected == [one.fields for one in computation.records]


CASH = [
    # records, documents, source
    (
        [SOLD | {"amount": "7260.00", "q1Amount": "7260.00", "cashAmount": "6000.01", "cashYear": "2026"}],
        [sold(base="6000", payments=(paid(MAY, "6000.01", in_cash=True), paid(MAY, "1259.99")))],
        "above 6,000 in cash",
    ),
    (
        [SOLD | {"amount": "7260.00", "q1Amount": "7260.00"}],
        [sold(base="6000", payments=(paid(MAY, "6000", in_cash=True),))],
        "6,000 is not above the limit",
    ),
    (
        [SOLD | {"amount": "7260.00", "q1Amount": "7260.00"}],
        [sold(base="6000", payments=(paid(MAY, "7260"),))],
        "not in cash",
    ),
    (
        [SOLD | {"amount": "0.00", "cashAmount": "7000.00", "cashYear": "2025"} | NOTHING_IN_QUARTERS],
        [sold(day=date(2025, 11, 3), base="6000", payments=(paid(MAY, "7000", in_cash=True),))],
        "of operations of the year before: an amount of zero",
    ),
    (
        [
            SOLD | {"amount": "0.00", "cashAmount": "4000.00", "cashYear": "2025"} | NOTHING_IN_QUARTERS,
            SOLD | {"cashAmount": "3000.00", "cashYear": "2026"},
        ],
        [
            sold("a", payments=(paid(MAY, "3000", in_cash=True),)),
            sold("b", date(2025, 11, 3), payments=(paid(MAY, "4000", in_cash=True),)),
        ],
        "one limit for the cash of all years, a record for each",
    ),
    (
        [SOLD],
        [sold(payments=(paid(date(2027, 1, 2), "4840", in_cash=True),))],
        "received in the next year",
    ),
    (
        [],
        [spent(base="1000", payments=(paid(MAY, "9000", in_cash=True),))],
        "cash that was paid",
    ),
]


@pytest.mark.parametrize("row", CASH, ids=lambda row: row[-1])
def test_cash(row):
    expected, documents, _ = row

    computation = FORM.compute(given("Y", *documents))

    assert expected == [one.fields for one in computation.records]


BY_CASH = SOLD | {"cashAccounting": True} | NOTHING_IN_QUARTERS

CASH_ACCOUNTING = [
    # records, documents, profile, source
    (
        [BY_CASH | {"cashAccountingAmount": "2420.00"}],
        [sold(payments=(paid(MAY, "2420"),))],
        WITH_CASH_ACCOUNTING,
        "yearly, with what was paid",
    ),
    ([BY_CASH], [sold()], WITH_CASH_ACCOUNTING, "nothing paid yet"),
    (
        [BOUGHT | {"cashAccounting": True, "cashAccountingAmount": "4840.00"} | NOTHING_IN_QUARTERS],
        [spent(regime_key="07", payments=(paid(MAY, "4840"),))],
        SETTLED,
        "the vendor is under it",
    ),
    ([BOUGHT], [spent()], WITH_CASH_ACCOUNTING, "a vendor who is not under it"),
    (
        [SOLD | {"amount": "2420.00", "q1Amount": "2420.00"}, BY_CASH | {"amount": "2420.00"}],
        [sold("a", base="2000"), sold("b", MAY, "2000")],
        SETTLED.model_copy(update={"census_changes": (CensusChange(since=date(2026, 4, 1), cash_accounting=True),)}),
        "from the day of its change on",
    ),
    (
        [
            SOLD | {"amount": "2000.00", "q1Amount": "2000.00"},
            BY_CASH | {"amount": "2420.00"},
        ],
        [sale("a", FEBRUARY, line("2000"), line("2000", "0", category=TaxCategory.EXEMPT))],
        WITH_CASH_ACCOUNTING,
        "exempt lines are not under it",
    ),
]


@pytest.mark.parametrize("row", CASH_ACCOUNTING, ids=lambda row: row[-1])
def test_cash_accounting(row):
    expected, documents, profile, _ = row

    computation = FORM.compute(given("Y", *documents, profile=profile))

    assert expected == [one.fields for one in computation.records]


def test_the_profile_may_include_withheld_sales_gross_of_the_retention():
    (record,) = FORM.compute(given("Y", sold(retention="600"), profile=WITH_WITHHELD)).records

    assert record.fields == SOLD


def test_totals_and_documents():
    computation = FORM.compute(
        given("Y", sold("a"), sold("c", MAY), spent("b"), sold("small", base="1", client=GERMAN))
    )

    assert {key: str(box) for key, box in computation.computed.items()} == {
        "01": "2",
        "02": "14520.00",
        "03": "0",
        "04": "0.00",
    }
    assert [one.document_ids for one in computation.records] == [("b",), ("a", "c")]
    assert {"a", "b", "c"} == computation.counted
    assert computation.declaration_types == {}


def test_leases_are_filled_by_hand():
    computation = FORM.compute(given("Y", overrides={"03": "1", "04": "4840"}))

    assert [str(computation.effective[key]) for key in ("03", "04")] == ["1", "4840.00"]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (sold(client=replace(CLIENT, tax_id=None)), {"party_unknown": ("a",)}),
        (sold(base="10", client=replace(CLIENT, tax_id=None)), {}),
        (sold(client=replace(CLIENT, postal_code=None, province=None)), {"province_unknown": ("a",)}),
        (sold(client=AMERICAN), {"party_unknown": ("a",)}),
        (sold(client=GERMAN), {}),
        (sale("a", FEBRUARY, line("4000", regime_key="11")), {"leased_property": ("a",)}),
        (spent(retention_kind=RetentionKind.RENT), {}),
        (sold(), {}),
    ],
)
def test_warnings(document, expected):
    assert expected == warned(FORM.compute(given("Y", document)))


def test_limits_are_dated():
    assert Decimal("3005.06") == third_party_limits(date(2026, 12, 31)).operations
    assert third_party_limits(date(2000, 12, 31)) == third_party_limits(date(2008, 1, 1))


def test_who_files_monthly_does_not_declare_it():
    assert FORM.is_due(SETTLED, TaxPeriod(2026, "Y"))
    assert not FORM.is_due(SpanishTaxProfile(filing=FilingPeriod.MONTHLY), TaxPeriod(2026, "Y"))
    assert not FORM.is_due(SpanishTaxProfile(monthly_refunds=True), TaxPeriod(2026, "Y"))


days = st.dates(date(2026, 1, 1), date(2026, 12, 31))
bases = st.integers(-300_000, 600_000).map(lambda number: amount(Decimal(number) / 100))
parties = st.sampled_from([VENDOR, CLIENT, GERMAN, Party(name="X", tax_id=None, country="ES")])
drawn_documents = st.lists(
    st.tuples(st.booleans(), days, bases, parties, st.lists(st.integers(0, 5000), max_size=2)), max_size=12
)


def documents_of(drawn):
    return [
        sold(f"d{n}", day, base, client=party, payments=tuple(paid(day, cash, in_cash=True) for cash in payments))
        if is_sale
        else spent(f"d{n}", day, base, vendor=party)
        for n, (is_sale, day, base, party, payments) in enumerate(drawn)
    ]


@samples(drawn_documents, st.randoms(use_true_random=False))
def test_records_add_up_in_any_order(drawn, random):
    documents = documents_of(drawn)

    computation = FORM.compute(given("Y", *documents))

    for one in computation.records:
        quarters = sum(Decimal(one.fields[f"q{number}Amount"]) for number in range(1, 5))
        assert quarters == Decimal(one.fields["amount"])
    assert computation.computed["02"] == sum((Decimal(one.fields["amount"]) for one in computation.records), Decimal(0))
    assert computation == FORM.compute(given("Y", *random.sample(documents, len(documents))))


@samples(drawn_documents)
def test_nobody_below_the_limits_is_declared(drawn):
    limits = third_party_limits(date(2026, 12, 31))

    for one in FORM.compute(given("Y", *documents_of(drawn))).records:
        above = abs(Decimal(one.fields["amount"])) > limits.operations
        assert above or Decimal(one.fields["cashAmount"]) > limits.cash
