"""Doubts about sales in Spain that bear no IVA: exports that stay, and the rate of zero."""

from datetime import date
from decimal import Decimal

import pytest
from draft_facts import facts

from ledgerkit.providers.api import DocumentKind, Party, TaxCategory, TaxLine
from ledgerkit.providers.es.doubts import (
    EXEMPT_WITHOUT_REASON,
    EXPORT_WITHIN_SPAIN,
    NOT_SUBJECT_WITHOUT_REASON,
    ZERO_RATE_WITHIN_SPAIN,
    domestic_doubts,
    reason_doubts,
)


def line(rate=0, category=TaxCategory.STANDARD, base=100, **fields):
    return TaxLine(category=category, rate=Decimal(rate), base=Decimal(base), amount=Decimal(0), **fields)


def client(country="ES", postal_code="28013"):
    return Party(name="Talleres Norte, S.L.", tax_id="B12345674", country=country, postal_code=postal_code)


EXPORT = line(category=TaxCategory.EXPORT)


@pytest.mark.parametrize(
    ("recipient", "taxes", "code", "ways"),
    [
        (client(), [line(21), EXPORT], EXPORT_WITHIN_SPAIN, ["standard", "art"]),
        (client(postal_code=None), [EXPORT], EXPORT_WITHIN_SPAIN, ["standard"]),
        (client(), [line()], ZERO_RATE_WITHIN_SPAIN, ["exempt", "not_subject", "reverse_charge"]),
        (None, [line()], ZERO_RATE_WITHIN_SPAIN, ["exempt"]),
    ],
)
def test_no_tax_for_a_client_in_spain_is_doubted(recipient, taxes, code, ways):
    [doubt] = domestic_doubts(facts(recipient, taxes))

    assert doubt.code == code
    for language in ("es", "en"):
        said = doubt.text.in_language(language)
        assert said.startswith(f"{code}: ")
        assert all(way in said for way in ways)


@pytest.mark.parametrize(
    "draft",
    [
        facts(client(), [line(21), line(category=TaxCategory.EXEMPT), line(category=TaxCategory.NOT_SUBJECT)]),
        facts(client("US", None), [EXPORT]),
        facts(client(postal_code="35001"), [EXPORT, line()]),
        facts(client(postal_code="51001"), [EXPORT]),
        facts(client(), [line(regime_key="03"), line(tax="IGIC"), line(base=0)]),
        facts(client(), [EXPORT, line()], kind=DocumentKind.CREDIT_NOTE),
        facts(client(), [line()], day=date(2024, 9, 30)),
        facts(client(), [line()], day=date(2021, 1, 15)),
    ],
    ids=[
        "says why",
        "abroad",
        "Canary Islands",
        "Ceuta",
        "other schemes and nothing",
        "correction",
        "food at 0 %",
        "masks at 0 %",
    ],
)
def test_nothing_else_is(draft):
    assert domestic_doubts(draft) == ()


def test_food_bears_its_iva_again_since_october_2024():
    [doubt] = domestic_doubts(facts(client(), [line()], day=date(2024, 10, 1)))

    assert doubt.code == ZERO_RATE_WITHIN_SPAIN


# ---------------------------------------------------------------- not subject


@pytest.mark.parametrize("recipient", [None, client(), client("US", None), client(postal_code="35001")])
def test_a_line_that_is_not_subject_says_why(recipient):
    [doubt] = reason_doubts(facts(recipient, [line(21), line(category=TaxCategory.NOT_SUBJECT)]))

    assert doubt.code == NOT_SUBJECT_WITHOUT_REASON
    for language in ("es", "en"):
        said = doubt.text.in_language(language)
        assert said.startswith(f"{NOT_SUBJECT_WITHOUT_REASON}: ")
        assert "location_rules" in said


@pytest.mark.parametrize(
    ("taxes", "fields"),
    [
        ([line(category=TaxCategory.NOT_SUBJECT, not_subject_reason="article_7")], {}),
        ([line(category=TaxCategory.NOT_SUBJECT, regime_key="17")], {}),
        ([line(category=TaxCategory.NOT_SUBJECT)], {"place_of_supply": "US"}),
        ([line(category=TaxCategory.NOT_SUBJECT, base=0)], {}),
        ([line(category=TaxCategory.NOT_SUBJECT)], {"kind": DocumentKind.CREDIT_NOTE}),
        ([line(category=TaxCategory.EXEMPT, exemption_code="E6"), line(category=TaxCategory.EXPORT)], {}),
        ([line(category=TaxCategory.EXEMPT, base=0)], {}),
        ([line(category=TaxCategory.EXEMPT)], {"kind": DocumentKind.CREDIT_NOTE}),
    ],
    ids=[
        *("a reason", "one-stop shop", "place", "nothing", "correction"),
        *("says why", "nothing exempt", "correction of what is exempt"),
    ],
)
def test_what_says_why_is_no_doubt(taxes, fields):
    assert reason_doubts(facts(client("US", None), taxes, **fields)) == ()


@pytest.mark.parametrize("recipient", [None, client(), client("US", None)])
def test_an_exempt_line_says_why(recipient):
    stated = line(category=TaxCategory.EXEMPT, exemption_code="E1")
    [doubt] = reason_doubts(facts(recipient, [stated, line(category=TaxCategory.EXEMPT)]))

    assert doubt.code == EXEMPT_WITHOUT_REASON
    for language in ("es", "en", "ca"):
        said = doubt.text.in_language(language)
        assert said.startswith(f"{EXEMPT_WITHOUT_REASON}: ")
        assert "E1" in said
        assert "exemptionCode" in said
