"""Doubts about the form of an invoice: the limits of simplified ones, and addresses."""

from dataclasses import replace
from decimal import Decimal

import pytest
from draft_facts import ISSUER, facts

from ledgerkit.providers.api import DocumentKind, Party, TaxCategory, TaxLine
from ledgerkit.providers.es.doubts import ADDRESS_MISSING, SIMPLIFIED_LIMIT, form_doubts

COMPANY = Party(name="Talleres Norte, S.L.", tax_id="B12345674", country="ES", address="Polígono 2")
PERSON = Party(name="Luis Gil", tax_id="00000001R", country="ES")
GERMAN = Party(name="Beispiel GmbH", tax_id="DE811569869", country="DE")
LINE = TaxLine(category=TaxCategory.STANDARD, rate=Decimal(21), base=Decimal(100), amount=Decimal(21))


def simplified(total, **fields):
    return facts(None, kind=DocumentKind.SIMPLIFIED, gross_total=Decimal(total), **fields)


def words(doubt):
    return [doubt.text.in_language(language) for language in ("es", "en")]


@pytest.mark.parametrize("total", ["400.01", "3000.00"])
def test_a_simplified_invoice_above_400_names_the_cases_and_the_ways_out(total):
    [doubt] = form_doubts(simplified(total))

    assert doubt.code == SIMPLIFIED_LIMIT
    for said in words(doubt):
        assert said.startswith(f"{SIMPLIFIED_LIMIT}: ")
        assert all(part in said for part in ("400", "4.2", "RD 1619/2012", "higherSimplifiedLimit"))


@pytest.mark.parametrize("is_retail", [True, False])
def test_none_is_above_3000_in_any_case(is_retail):
    [doubt] = form_doubts(simplified("3000.01", higher_simplified_limit=is_retail))

    assert doubt.code == SIMPLIFIED_LIMIT
    assert all("4.2" not in said for said in words(doubt))


@pytest.mark.parametrize(
    "draft",
    [
        simplified("400.00"),
        simplified("3000.00", higher_simplified_limit=True),
        simplified("3000.00", details={"invoicingAgreement": "A1"}),
        simplified("400.01", currency="USD"),
        facts(None, kind=DocumentKind.CREDIT_NOTE, gross_total=Decimal(1000)),
        facts(COMPANY, gross_total=Decimal(5000)),
    ],
    ids=["400", "a case of art. 4.2", "allowed by the agency", "unknown in euro", "correction", "complete"],
)
def test_others_are_no_doubt(draft):
    assert form_doubts(draft) == ()


@pytest.mark.parametrize("address", [None, " "])
def test_a_complete_invoice_states_the_issuers_address(address):
    [doubt] = form_doubts(facts(COMPANY, issuer=replace(ISSUER, address=address)))

    assert doubt.code == ADDRESS_MISSING
    assert all("6.1.e" in said for said in words(doubt))


@pytest.mark.parametrize(
    "draft",
    [
        facts(replace(COMPANY, address=None)),
        facts(GERMAN),
        facts(PERSON, retention=Decimal("15.00")),
        facts(PERSON, [replace(LINE, surcharge_rate=Decimal("5.2"))]),
        facts(PERSON, [replace(LINE, category=TaxCategory.REVERSE_CHARGE)]),
        facts(PERSON, kind=DocumentKind.SIMPLIFIED, details={"identifiedRecipient": True}),
    ],
    ids=["company", "foreign business", "retains", "retailer", "owes the tax", "simplified for a business"],
)
def test_the_address_of_a_business_is_stated(draft):
    [doubt] = form_doubts(draft)

    assert doubt.code == ADDRESS_MISSING
    assert all(draft.recipient.name in said for said in words(doubt))


@pytest.mark.parametrize(
    "draft",
    [
        facts(COMPANY),
        facts(PERSON, [LINE]),
        facts(replace(GERMAN, tax_id="X1", tax_id_kind="passport")),
        facts(None, kind=DocumentKind.SIMPLIFIED, issuer=replace(ISSUER, address=None)),
        facts(replace(COMPANY, address=None), kind=DocumentKind.SIMPLIFIED),
        facts(replace(COMPANY, address=None), kind=DocumentKind.CREDIT_NOTE),
        facts(replace(COMPANY, address=None), details={"withoutRecipientId": True}),
    ],
    ids=["whole", "private person", "passport", "simplified", "simplified for one", "correction", "art. 6.1.d"],
)
def test_no_other_address_is_wanted(draft):
    assert form_doubts(draft) == ()
