"""Doubts about the retention of IRPF: who retains, and at which rate."""

from datetime import date
from decimal import Decimal

import pytest
from draft_facts import ISSUER, facts

from ledgerkit.providers.api import DocumentKind, Party, TaxCategory, TaxLine
from ledgerkit.providers.es.retention_doubts import (
    RETENTION_BY_PRIVATE_PERSON,
    RETENTION_FROM_ABROAD,
    RETENTION_RATE_UNKNOWN,
    doubts,
)

DAY = date(2026, 11, 21)
COMPANY, DNI, NIE = "B12345674", "12345678Z", "X1234567L"


def client(tax_id=COMPANY, country="ES", **fields):
    return Party(name="Lucía Vega", tax_id=tax_id, country=country, **fields)


def line(category=TaxCategory.STANDARD, **fields):
    rate = Decimal(21 if category is TaxCategory.STANDARD else 0)
    return TaxLine(category=category, rate=rate, base=Decimal(100), amount=rate, **fields)


def draft(recipient, *, rate="15", **fields):
    retained, taxes = Decimal(rate), fields.pop("taxes", [line()])
    return facts(recipient, taxes, **{"day": DAY, "retention": retained, "retention_rate": retained, **fields})


def assert_only(found, code, *words):
    [doubt] = found
    assert doubt.code == code
    for language in ("es", "en"):
        said = doubt.text.in_language(language)
        assert said.startswith(f"{code}: ")
        assert all(word in said for word in words), said


@pytest.mark.parametrize(
    "sale",
    [
        draft(client(DNI)),
        draft(client(NIE)),
        draft(client(DNI), recipient_is_company=False),
        draft(client(None), recipient_is_company=False),
        draft(client("AB123", tax_id_kind="passport")),
        draft(client(f"ES{DNI}", "DE")),
    ],
    ids=["DNI", "NIE", "by its card", "no NIF, by its card", "passport", "Spanish NIF abroad"],
)
def test_a_private_person_does_not_retain(sale):
    assert_only(doubts(sale), RETENTION_BY_PRIVATE_PERSON, "retentionRate 0", "isCompany", "Lucía Vega")


@pytest.mark.parametrize("card", [None, True])
def test_a_client_without_a_nif_is_doubted_to_retain(card):
    found = doubts(draft(client(None), recipient_is_company=card))

    assert_only(found, RETENTION_BY_PRIVATE_PERSON, "retentionRate 0", "isCompany true", "taxId", "Lucía Vega")


@pytest.mark.parametrize(
    "sale",
    [
        draft(None, kind=DocumentKind.SIMPLIFIED),
        draft(client(), details={"withoutRecipientId": True}),
    ],
)
def test_nobody_does_not_retain(sale):
    assert_only(doubts(sale), RETENTION_BY_PRIVATE_PERSON, "retentionRate 0")


@pytest.mark.parametrize("recipient", [client("DE811569869", "DE"), client(None, "FR"), client("12-345", "US")])
def test_clients_abroad_do_not_retain(recipient):
    assert_only(doubts(draft(recipient)), RETENTION_FROM_ABROAD, "retentionRate 0", recipient.country)


@pytest.mark.parametrize(
    "sale",
    [
        draft(client()),
        draft(client("H12345674")),
        draft(client(), recipient_is_company=False),
        draft(client(None), recipient_is_company=True, is_business_stated=True),
        draft(client(None), taxes=[line(surcharge_rate=Decimal("5.2"))]),
        draft(client(DNI), recipient_is_company=True),
        draft(client(DNI), taxes=[line(surcharge_rate=Decimal("5.2"))]),
        draft(client(DNI), taxes=[line(TaxCategory.REVERSE_CHARGE)]),
        draft(client(f"ES{COMPANY}", "DE")),
        draft(client(), kind=DocumentKind.SIMPLIFIED, details={"identifiedRecipient": True}),
        draft(client(DNI), rate="0"),
        draft(client(DNI), kind=DocumentKind.CREDIT_NOTE),
        draft(client(DNI), rate="21", kind=DocumentKind.CREDIT_NOTE),
    ],
    ids=[
        "company",
        "owners of a building",
        "company whatever its card says",
        "NIF not known yet, by the card",
        "NIF not known yet, under the surcharge",
        "professional, by the card",
        "retailer under the surcharge",
        "reverse charge",
        "German company established here",
        "simplified for a business",
        "nothing retained",
        "correction",
        "correction at an old rate",
    ],
)
def test_businesses_retain(sale):
    assert doubts(sale) == ()


@pytest.mark.parametrize("rate", ["14", "16", "18", "20", "21", "15.5", "100"])
def test_a_rate_that_does_not_exist_is_doubted(rate):
    assert_only(doubts(draft(client(), rate=rate)), RETENTION_RATE_UNKNOWN, f"{rate} %", "1, 2, 7, 15, 19, 24")


@pytest.mark.parametrize("rate", ["1", "2.00", "7", "15.0", "19", "24", "6", "7.6", "2.8", "0.4"])
def test_the_rates_in_force_are_not(rate):
    assert doubts(draft(client(), rate=rate)) == ()


@pytest.mark.parametrize(
    "sale",
    [
        draft(client(), rate="21", day=date(2014, 5, 1)),
        draft(client(), rate="21", day=None),
        draft(client(), rate="13", issuer=Party(name="Ane", tax_id=DNI, country="ES", postal_code="48001")),
    ],
    ids=["rates of another day", "day not known", "foral"],
)
def test_other_days_and_other_laws_are_not_judged(sale):
    assert sale.issuer != ISSUER or sale.day != DAY
    assert doubts(sale) == ()
