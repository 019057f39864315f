"""Rows of the record books: codes of the authority, dates, sums by rate.

Codes: AEAT, unified book of records (LSI), 2025.
"""

from datetime import date

import pytest
from vat_documents import CLIENT, GERMAN, IRISH, SWISS, bought, credit_note, line, paid, purchase, sale

from ledgerkit.providers.api import Assessment, DateSpan, DocumentKind, Party, PurchaseKind, TaxCategory
from ledgerkit.providers.es.tax_forms.records import Amounts, has_vat_number, issued_rows, received_rows

QUARTER = DateSpan(first=date(2026, 1, 1), last=date(2026, 3, 31))


def never(_day):
    return False


def always(_day):
    return True


def issued(document, cash_on=never):
    return list(issued_rows(document, cash_on))


def received(document, cash_on=never):
    return list(received_rows(document, cash_on))


@pytest.mark.parametrize(
    ("document", "codes"),
    [
        (sale(line("1")), ("F1", "01", "01", "S1", None)),
        (sale(line("1"), kind=DocumentKind.SIMPLIFIED), ("F2", "01", "01", "S1", None)),
        (credit_note(line("-1")), ("R1", "01", "01", "S1", None)),
        (credit_note(line("-1"), correction_reason="R3"), ("R3", "01", "01", "S1", None)),
        (credit_note(line("-1"), correction_reason=None), ("R1", "01", "01", "S1", None)),
        (credit_note(line("-1"), correction_reason=None, client=None), ("R5", "01", "01", "S1", None)),
        (sale(line("1", regime_key="07")), ("F1", "01", "07", "S1", None)),
        (sale(line("1", category=TaxCategory.REVERSE_CHARGE)), ("F1", "01", "01", "S2", None)),
        (sale(line("1", category=TaxCategory.EXEMPT)), ("F1", "01", "01", None, "E1")),
        (sale(line("1", category=TaxCategory.EXPORT)), ("F1", "01", "02", None, "E2")),
        (sale(line("1", category=TaxCategory.INTRA_EU_GOODS)), ("F1", "01", "01", None, "E5")),
        (sale(line("1", category=TaxCategory.INTRA_EU_SERVICES)), ("F1", "01", "01", "N2", None)),
        (sale(line("1", category=TaxCategory.NOT_SUBJECT)), ("F1", "01", "01", "N1", None)),
        (sale(line("1", category=TaxCategory.NOT_SUBJECT), place_of_supply="CH"), ("F1", "01", "01", "N2", None)),
        (sale(line("1", tax="IGIC")), ("F1", "03", "01", "S1", None)),
    ],
)
def test_codes_of_an_issued_document(document, codes):
    """AEAT, unified book of records; the same codes as in the fiscal record (`providers.es.operations`)."""
    (row,) = issued(document)

    assert (row.invoice_type, row.tax, row.key, row.qualification, row.exemption) == codes


@pytest.mark.parametrize(
    ("document", "kind", "key", "self_assessed"),
    [
        (purchase(bought("1")), "F1", "01", False),
        (purchase(bought("1"), kind=PurchaseKind.SIMPLIFIED), "F2", "01", False),
        (purchase(bought("1"), kind=PurchaseKind.CREDIT_NOTE), "R1", "01", False),
        (purchase(bought("1"), kind=PurchaseKind.IMPORT), "F5", "01", False),
        (purchase(bought("1"), kind=PurchaseKind.NO_INVOICE), "SF", "01", False),
        (purchase(bought("1"), assessment=Assessment.INTRA_EU_GOODS), "F1", "09", True),
        (purchase(bought("1"), assessment=Assessment.INTRA_EU_SERVICES, regime_key="01"), "F1", "09", True),
        (purchase(bought("1"), assessment=Assessment.REVERSE_CHARGE), "F1", "01", True),
        (purchase(bought("1"), regime_key="12"), "F1", "12", False),
        (purchase(bought("1"), regime_key="19"), "F1", "02", False),
    ],
)
def test_codes_of_a_received_document(document, kind, key, self_assessed):
    (row,) = received(document)

    assert (row.invoice_type, row.key, row.self_assessed) == (kind, key, self_assessed)


def test_rows_are_one_per_operation_and_rate():
    document = sale(line("100"), line("-40"), line("5", "10"), line("7", surcharge="5.2"))

    rows = {(row.rate, row.surcharge_rate): row.amounts for row in issued(document)}

    assert rows == {
        (21, None): Amounts(60, line("60").amount, 0),
        (10, None): Amounts(5, line("5", "10").amount, 0),
        (21, line("7", surcharge="5.2").surcharge_rate): Amounts(
            7, line("7").amount, line("7", surcharge="5.2").surcharge_amount
        ),
    }


def test_the_sign_is_that_of_all_at_a_rate():
    document = sale(
        line("100"), line("-40", surcharge="5.2"), line("-5", "10"), line("-3", category=TaxCategory.EXEMPT)
    )

    assert [row.below_zero for row in issued(document)] == [False, False, True, True]


def test_purchases_at_a_rate_are_apart_for_investment_goods():
    document = purchase(bought("100"), bought("20"), bought("50", investment_good=True))

    assert [(row.amounts.base, row.investment_good) for row in received(document)] == [(120, False), (50, True)]


def test_the_day_of_an_operation_decides_but_for_corrections():
    """Ley 37/1992, arts. 75, 89 and 99."""
    ordinary = sale(line("1"), on="2026-04-02", operation_date="2026-03-31")
    correction = credit_note(line("-1"), on="2026-04-02", operation_date="2026-03-31")

    assert [issued(one)[0].vat_date for one in (ordinary, correction)] == [date(2026, 3, 31), date(2026, 4, 2)]


def test_under_cash_accounting_taxed_lines_without_a_key_have_its_key():
    document = sale(line("1"), line("2", regime_key="01"), line("3", category=TaxCategory.EXEMPT))

    assert [row.key for row in issued(document, always)] == ["07", "01", "01"]


def test_under_cash_accounting_what_is_bought_within_the_country_has_its_key():
    documents = [
        purchase(bought("1")),
        purchase(bought("1"), kind=PurchaseKind.IMPORT),
        purchase(bought("1"), assessment=Assessment.REVERSE_CHARGE),
        purchase(bought("1"), assessment=Assessment.INTRA_EU_GOODS),
    ]

    assert [received(document, always)[0].key for document in documents] == ["07", "01", "01", "09"]


def test_what_was_paid_twice_or_given_back_never_exceeds_the_whole():
    twice = sale(line("100", regime_key="07"), payments=paid(("2026-01-10", "121"), ("2026-02-10", "121")))
    back = sale(line("100", regime_key="07"), payments=paid(("2026-01-10", "121"), ("2026-04-10", "-121")))
    second = DateSpan(first=date(2026, 4, 1), last=date(2026, 6, 30))

    assert issued(twice)[0].accrued(QUARTER) == Amounts(100, 21, 0)
    assert issued(back)[0].accrued(QUARTER) == Amounts(100, 21, 0)
    assert issued(back)[0].accrued(second) == Amounts(-100, -21, 0)


def test_a_document_of_nothing_under_cash_accounting_counts_with_its_payment():
    nothing = sale(line("100", regime_key="07"), gross_total=line("0").base, payments=paid(("2026-01-10", "0")))

    assert issued(nothing)[0].accrued(QUARTER) == Amounts(100, 21, 0)


@pytest.mark.parametrize(
    ("party", "expected"),
    [
        (GERMAN, True),
        (IRISH, True),
        (SWISS, False),
        (CLIENT, False),
        (None, False),
        (Party(name="x", tax_id=None, country="DE"), False),
        (Party(name="x", tax_id="DE123456789", country="DE", tax_id_kind="passport"), False),
        (Party(name="x", tax_id="DE12", country="DE"), False),
        (Party(name="x", tax_id="XI123456789", country="GB"), True),
        (Party(name="x", tax_id="123456789", country="GR"), True),
    ],
)
def test_who_has_a_vat_number_of_another_member_state(party, expected):
    """Directive 2006/112/EC, art. 215: EL for Greece; XI for Northern Ireland since 2021."""
    assert has_vat_number(party) is expected
