"""Doubts about clients outside of the territory of the IVA, and the category that a service to them takes."""

from decimal import Decimal

import pytest
from draft_facts import facts

from ledgerkit.providers.api import DocumentKind, Party, ServiceFacts, TaxCategory, TaxLine
from ledgerkit.providers.es.supplies_abroad import (
    FOREIGN_BUSINESS_DOMESTIC_VAT,
    FOREIGN_CLIENT_UNKNOWN,
    IVA_OUTSIDE_ITS_TERRITORY,
    REVERSE_CHARGE_ABROAD,
    VAT_NUMBER_MISSING,
    ZERO_RATE_WITHOUT_REASON,
    doubts,
    proposal,
)

GERMAN_NUMBER, NIF, DNI = "DE811569869", "B12345674", "12345678Z"


def line(rate=21, category=TaxCategory.STANDARD, base=100, **fields):
    amount = Decimal(base) * rate / 100
    return TaxLine(category=category, rate=Decimal(rate), base=Decimal(base), amount=amount, **fields)


def untaxed(category, **fields):
    return line(0, category, **fields)


def client(country="DE", tax_id=GERMAN_NUMBER, **fields):
    return Party(name="Beispiel GmbH", tax_id=tax_id, country=country, **fields)


def canarian(tax_id=NIF, **fields):
    return client("ES", tax_id, **(fields or {"postal_code": "35001"}))


def assert_only(found, code, *ways):
    """Assert that this is the only doubt, and that it names these ways in both languages."""
    [doubt] = found
    assert doubt.code == code
    for language in ("es", "en"):
        said = doubt.text.in_language(language)
        assert said.startswith(f"{code}: ")
        assert all(way in said for way in ways), said


@pytest.mark.parametrize(
    ("country", "tax_id", "ways"),
    [
        ("DE", GERMAN_NUMBER, ["intra_eu_services", "intra_eu_goods", "placeOfSupply ES"]),
        ("GR", "EL123456789", ["intra_eu_services"]),
        ("GR", "X123456789", ["intra_eu_services"]),
        ("US", "X123456789", ["location_rules", "export", "placeOfSupply ES"]),
        ("GB", "GB123456789", ["export"]),
    ],
)
@pytest.mark.parametrize("rate", [21, 10, 0])
def test_a_business_abroad_with_domestic_vat_is_doubted(country, tax_id, ways, rate):
    found = doubts(facts(client(country, tax_id), [line(rate)]))

    assert_only(found, FOREIGN_BUSINESS_DOMESTIC_VAT, f"{rate} %", *ways)


@pytest.mark.parametrize(
    ("country", "ways"),
    [
        ("DE", ["taxId", "intra_eu_services", "placeOfSupply ES"]),
        ("US", ["location_rules", "export", "isCompany false"]),
    ],
)
def test_a_stated_business_abroad_needs_no_number_to_be_doubted(country, ways):
    stated = {"recipient_is_company": True, "is_business_stated": True}
    recipient = client(country, None)

    assert_only(doubts(facts(recipient, [line()], **stated)), FOREIGN_BUSINESS_DOMESTIC_VAT, "21 %", *ways)
    assert doubts(facts(recipient, [line()], **stated, place_of_supply="ES")) == ()


@pytest.mark.parametrize("card", [None, True])
@pytest.mark.parametrize("country", ["US", "GB", "CH"])
def test_a_client_without_a_number_outside_the_eu_is_asked_about(country, card):
    found = doubts(facts(client(country, None), [line()], recipient_is_company=card))

    assert_only(found, FOREIGN_CLIENT_UNKNOWN, country, "21 %", "isCompany true", "isCompany false", "export")


def test_the_rates_are_named_once_each():
    [doubt] = doubts(facts(client(), [line(21), line(10), line(21, surcharge_rate=Decimal("5.2"))]))

    assert "10 %, 21 %" in doubt.text.in_language("en")


@pytest.mark.parametrize(
    ("recipient", "fields"),
    [
        (client("FR", None), {}),
        (client(tax_id="X1", tax_id_kind="passport"), {}),
        (client("PT", "PT223456789"), {"recipient_is_company": False}),
        (client("US", None), {"recipient_is_company": False}),
        (canarian(DNI), {}),
        (client("ES", NIF, postal_code="28013"), {}),
        (None, {}),
        (client("FR", None), {"recipient_is_company": True}),
        (client(tax_id=f"ES{NIF}"), {}),
        (client(), {"place_of_supply": "es "}),
        (canarian(), {"place_of_supply": "ES"}),
        (client(), {"kind": DocumentKind.CREDIT_NOTE}),
    ],
    ids=[
        "private person in the EU",
        "passport",
        "number of a private person",
        "private person outside the EU",
        "private person in the islands",
        "Spanish",
        "nobody",
        "EU business without a VAT number",
        "Spanish NIF",
        "taxed here, as it says",
        "taxed in the peninsula, as it says",
        "correction",
    ],
)
def test_domestic_vat_is_right_for_others(recipient, fields):
    assert doubts(facts(recipient, [line()], **fields)) == ()


@pytest.mark.parametrize(
    ("recipient", "taxes"),
    [
        (client(), [untaxed(TaxCategory.INTRA_EU_SERVICES), untaxed(TaxCategory.INTRA_EU_GOODS)]),
        (client("GB", "XI123456789"), [untaxed(TaxCategory.INTRA_EU_GOODS)]),
        (client("US"), [untaxed(TaxCategory.EXPORT), untaxed(TaxCategory.NOT_SUBJECT)]),
        (client(), [line(regime_key="03"), line(regime_key="17"), line(7, tax="IGIC")]),
        (client("FR", None), [line(20, regime_key="17"), untaxed(TaxCategory.EXEMPT, exemption_code="E1")]),
        (canarian(), [untaxed(TaxCategory.EXPORT), untaxed(TaxCategory.NOT_SUBJECT)]),
        (client("ES"), [untaxed(TaxCategory.REVERSE_CHARGE)]),
        (client(), [line(base=0)]),
        (client(), []),
    ],
    ids=[
        "intra-Community",
        "goods to Northern Ireland",
        "exports",
        "other regimes",
        "one-stop shop and exempt",
        "islands",
        "reverse charge in Spain",
        "free of charge",
        "no lines",
    ],
)
def test_what_says_why_it_bears_no_iva_is_no_doubt(recipient, taxes):
    assert doubts(facts(recipient, taxes)) == ()


@pytest.mark.parametrize(
    "recipient",
    [
        canarian(),
        canarian(postal_code="51001"),
        canarian(postal_code=None, province="Melilla"),
        canarian(postal_code="38001"),
    ],
)
def test_iva_for_a_company_in_the_islands_ceuta_or_melilla_is_doubted(recipient):
    found = doubts(facts(recipient, [line()]))

    assert_only(found, IVA_OUTSIDE_ITS_TERRITORY, "location_rules", "export", "placeOfSupply ES", "21 %")


@pytest.mark.parametrize(
    "recipient",
    [client("FR", None), client("US", None), client("DE", None), canarian(), canarian(DNI)],
    ids=["EU person", "US person", "EU business without a VAT number", "islands", "person in the islands"],
)
def test_a_rate_of_zero_abroad_says_why(recipient):
    found = doubts(facts(recipient, [line(0)]))

    assert_only(found, ZERO_RATE_WITHOUT_REASON, "export", "location_rules", "exempt")


def test_a_rate_of_zero_says_why_also_where_the_place_is_here():
    found = doubts(facts(client(), [line(0)], place_of_supply="ES"))

    assert_only(found, ZERO_RATE_WITHOUT_REASON)


@pytest.mark.parametrize("category", [TaxCategory.INTRA_EU_GOODS, TaxCategory.INTRA_EU_SERVICES])
@pytest.mark.parametrize(
    "recipient",
    [client("ES", NIF), client(tax_id=None), client(tax_id="12"), client("US"), client(tax_id_kind="passport")],
    ids=["Spanish", "no number", "no VAT number", "outside the EU", "passport"],
)
def test_an_intra_community_sale_needs_a_vat_number(recipient, category):
    found = doubts(facts(recipient, [untaxed(category)]))

    assert_only(found, VAT_NUMBER_MISSING, "standard")


def test_a_reverse_charge_abroad_is_doubted():
    found = doubts(facts(client(), [untaxed(TaxCategory.REVERSE_CHARGE)]))

    assert_only(found, REVERSE_CHARGE_ABROAD, "intra_eu_services", "location_rules", "DE")


# ---------------------------------------------------------------- services that state no tax


def service(**fields):
    """Facts of a service of an issuer in Madrid, unless they say otherwise."""
    return ServiceFacts(**{"issuer": client("ES", NIF), **fields})


@pytest.mark.parametrize("place", [None, "", "DE"])
def test_a_service_to_a_german_business_is_proposed_as_not_subject(place):
    proposed = proposal(service(recipient=client(), place_of_supply=place))

    assert proposed.category is TaxCategory.INTRA_EU_SERVICES
    for language in ("es", "en"):
        said = proposed.text.in_language(language)
        assert all(word in said for word in ("DE", "69.Uno.1", "349", "taxRate"))


@pytest.mark.parametrize(
    "service",
    [
        service(recipient=client(), place_of_supply="ES"),
        service(recipient=client(), place_of_supply="Palma de Mallorca"),
        service(recipient=client(), recipient_is_company=False),
        service(recipient=client(tax_id=None)),
        service(recipient=client(tax_id="12/345/67890")),
        service(recipient=client(tax_id_kind="passport")),
        service(recipient=client("ES", NIF)),
        service(recipient=client("US", "12-3456789")),
        service(recipient=client("GB", "XI123456789")),
        service(recipient=client(tax_id=f"ES{NIF}")),
        service(recipient=canarian()),
        service(recipient=client(), issuer=canarian()),
    ],
    ids=[
        "taxed here",
        "place in words",
        "private person",
        "no number",
        "no VAT number",
        "passport",
        "Spanish",
        "outside the EU",
        "Northern Ireland",
        "Spanish NIF",
        "islands",
        "issued in the Canary Islands",
    ],
)
def test_nothing_is_proposed_for_others(service):
    assert proposal(service) is None
