"""Issuer and client as documents print them: VAT numbers, countries, and the place once."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from ledgerkit.core.sales.invoices.pdf.parties import client_block, issuer_block
from ledgerkit.providers.api import Document, DocumentKind, Party, TaxCategory, TaxLine
from support.printed import words

ANA = Party(
    name="Ana Ruiz", tax_id="B12345674", country="ES", address="Calle Mayor 1", postal_code="28013", city="Madrid"
)
BERLIN = Party(name="Donau GmbH", tax_id="DE123456789", country="DE", address="Unter den Linden 1", city="Berlin")


def document(category: TaxCategory, recipient: Party | None, issuer: Party = ANA) -> Document:
    line = TaxLine(category=category, rate=Decimal(0), base=Decimal("100.00"), amount=Decimal("0.00"))
    return Document(
        kind=DocumentKind.INVOICE,
        number="F2026-0001",
        issue_date=date(2026, 11, 22),
        operation_date=None,
        issuer=issuer,
        recipient=recipient,
        currency="EUR",
        description="Obra",
        taxes=(line,),
        tax_total=Decimal("0.00"),
        gross_total=Decimal("100.00"),
        retention=Decimal("0.00"),
        payable=Decimal("100.00"),
    )


def numbers(printed: Document) -> tuple[str | None, str | None]:
    blocks = issuer_block(printed, words("es"), None), client_block(printed, words("es"))
    return tuple(None if one is None else one.tax_id for one in blocks)


INTRA_EU = [
    (TaxCategory.INTRA_EU_GOODS, BERLIN, "DE123456789"),
    (TaxCategory.INTRA_EU_SERVICES, replace(BERLIN, tax_id="123456789"), "DE123456789"),
    (TaxCategory.REVERSE_CHARGE, BERLIN, "DE123456789"),
    (TaxCategory.NOT_SUBJECT, BERLIN, "DE123456789"),
    (TaxCategory.INTRA_EU_GOODS, replace(BERLIN, tax_id="123456789", country="GR"), "EL123456789"),
    (TaxCategory.INTRA_EU_GOODS, replace(BERLIN, tax_id="XI123456789", country="GB"), "XI123456789"),
    (TaxCategory.INTRA_EU_GOODS, replace(BERLIN, tax_id="ESN0012345A"), "ESN0012345A"),
]


@pytest.mark.parametrize(("category", "client", "printed"), INTRA_EU)
def test_within_the_european_union_both_numbers_have_their_prefix_once(category, client, printed):
    printed_of = document(category, client)

    assert numbers(printed_of) == ("ESB12345674", printed)
    assert issuer_block(printed_of, words("es"), None).is_vat_number
    assert client_block(printed_of, words("es")).is_vat_number


ELSEWHERE = [
    (TaxCategory.STANDARD, BERLIN),
    (TaxCategory.EXEMPT, BERLIN),
    (TaxCategory.REVERSE_CHARGE, replace(BERLIN, tax_id="B64717838", country="ES")),
    (TaxCategory.NOT_SUBJECT, replace(BERLIN, tax_id="12-3456789", country="US")),
    (TaxCategory.NOT_SUBJECT, replace(BERLIN, tax_id="C01X00T47", tax_id_kind="passport")),
    (TaxCategory.EXPORT, replace(BERLIN, tax_id="123456789", country="GB")),
]


@pytest.mark.parametrize(("category", "client"), ELSEWHERE)
def test_anywhere_else_numbers_are_printed_as_they_are_kept(category, client):
    printed_of = document(category, client)

    assert numbers(printed_of) == ("B12345674", client.tax_id)
    assert not issuer_block(printed_of, words("es"), None).is_vat_number


def test_an_issuer_outside_the_union_has_no_vat_number_in_it():
    printed_of = document(TaxCategory.NOT_SUBJECT, BERLIN, replace(ANA, country="AD", tax_id="L-123456-A"))

    assert numbers(printed_of) == ("L-123456-A", "DE123456789")


@pytest.mark.parametrize(("language", "names"), [("es", ("España", "Alemania")), ("en", ("Spain", "Germany"))])
def test_a_client_abroad_has_both_countries_named_in_the_documents_language(language, names):
    printed_of = document(TaxCategory.STANDARD, BERLIN)

    assert issuer_block(printed_of, words(language), None).address[-1] == names[0]
    assert client_block(printed_of, words(language)).address[-1] == names[1]


@pytest.mark.parametrize("country", ["ES", "PT"])
def test_at_home_no_country_is_printed_whatever_home_is(country):
    home = replace(ANA, country=country)
    printed_of = document(TaxCategory.STANDARD, replace(home, name="Cliente"), home)

    assert issuer_block(printed_of, words("es"), None).address == ("Calle Mayor 1", "28013 Madrid")
    assert client_block(printed_of, words("es")).address == ("Calle Mayor 1", "28013 Madrid")
    assert issuer_block(replace(printed_of, recipient=None), words("es"), None).address == (
        "Calle Mayor 1",
        "28013 Madrid",
    )


PLACES = [
    ({"province": "Madrid"}, ("Calle Mayor 1", "28013 Madrid")),
    ({"city": "Málaga", "province": "MALAGA"}, ("Calle Mayor 1", "28013 Málaga")),
    ({"city": "Getafe", "province": "Madrid"}, ("Calle Mayor 1", "28013 Getafe (Madrid)")),
    ({"address": "Calle Mayor 1, 28013 Madrid"}, ("Calle Mayor 1", "28013 Madrid")),
    ({"address": "Calle Mayor 1, 3.º B, Madrid", "province": "Madrid"}, ("Calle Mayor 1, 3.º B", "28013 Madrid")),
    ({"address": "Calle Mayor 1, 28013 Madrid", "city": None, "postal_code": None}, ("Calle Mayor 1, 28013 Madrid",)),
    ({"address": "Madrid", "postal_code": None}, ("Madrid",)),
    ({"address": None, "city": None, "postal_code": None, "province": "Soria"}, ("Soria",)),
    ({"address": None, "city": None, "postal_code": None}, ()),
]


@pytest.mark.parametrize(("place", "printed"), PLACES)
def test_the_place_is_printed_once(place, printed):
    printed_of = document(TaxCategory.STANDARD, None, replace(ANA, **place))

    assert issuer_block(printed_of, words("es"), None).address == printed
