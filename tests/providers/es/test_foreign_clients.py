"""Doubts about the IVA of businesses abroad."""

from decimal import Decimal

import pytest
from draft_facts import facts

from ledgerkit.providers.api import Party, TaxCategory, TaxLine
from ledgerkit.providers.es.doubts import FOREIGN_BUSINESS_DOMESTIC_VAT, foreign_client_doubts


def doubts(recipient, taxes):
    return foreign_client_doubts(facts(recipient, taxes))


def line(rate=21, category=TaxCategory.STANDARD, **fields):
    base = Decimal(100)
    return TaxLine(category=category, rate=Decimal(rate), base=base, amount=base * rate / 100, **fields)


def client(country="DE", tax_id="DE811569869", **fields):
    return Party(name="Beispiel GmbH", tax_id=tax_id, country=country, **fields)


@pytest.mark.parametrize(
    ("country", "instead"),
    [
        ("DE", ["intra_eu_services", "intra_eu_goods"]),
        ("GR", ["intra_eu_services"]),
        ("US", ["location_rules", "export"]),
        ("GB", ["export"]),
    ],
)
@pytest.mark.parametrize("rate", [21, 10, 0])
def test_a_business_abroad_with_domestic_vat_is_doubted(country, instead, rate):
    [doubt] = doubts(client(country, "X123456789"), [line(rate)])

    assert doubt.code == FOREIGN_BUSINESS_DOMESTIC_VAT
    for language in ("es", "en"):
        words = doubt.text.in_language(language)
        assert words.startswith(f"{FOREIGN_BUSINESS_DOMESTIC_VAT}: ")
        assert f"{rate} %" in words
        assert all(one in words for one in instead)


@pytest.mark.parametrize(
    ("recipient", "taxes"),
    [
        (None, [line()]),
        (client("ES", "B12345674"), [line()]),
        (client(tax_id=None), [line()]),
        (client(tax_id="X1", tax_id_kind="passport"), [line()]),
        (client(), [line(0, TaxCategory.INTRA_EU_SERVICES), line(0, TaxCategory.REVERSE_CHARGE)]),
        (client("US"), [line(0, TaxCategory.EXPORT), line(0, TaxCategory.NOT_SUBJECT)]),
        (client(), [line(regime_key="03"), line(regime_key="17"), line(7, tax="IGIC")]),
        (client(), []),
    ],
    ids=["nobody", "Spanish", "no tax id", "person", "reverse charge", "export", "other regimes", "no lines"],
)
def test_nothing_else_is(recipient, taxes):
    assert doubts(recipient, taxes) == ()


def test_the_rates_are_named_once_each():
    [doubt] = doubts(client(), [line(21), line(10), line(21, surcharge_rate=Decimal("5.2"))])

    assert "10 %, 21 %" in doubt.text.in_language("en")
