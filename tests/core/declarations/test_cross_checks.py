"""Cross-checks of a year: what a late document moves apart, and what is missing.

What agrees, and whose it is, are in `test_spanish_tax_year`.
"""

import pytest

from support.declarations import PATH

CHECKS = f"{PATH}/checks?country=ES&year=2025"
VAT = ("303_390_bases", "303_390_vat_due", "303_390_result")
QUARTERS = ("Q1", "Q2", "Q3", "Q4")


async def checks_of(api, path: str = CHECKS) -> dict[str, dict]:
    return {one["code"]: one for one in await api.get(path)}


def states(checks: dict[str, dict]) -> dict[str, str]:
    return {code: one["state"] for code, one in checks.items()}


def statuses(side: dict) -> list[tuple[str, str, str]]:
    return [(term["form"], term["period"], term["status"]) for term in side["terms"]]


@pytest.fixture
async def vat_year(declarant):
    """A sale of 1,000 a quarter, the four 303s filed, and the draft of the 390."""
    for quarter, day in zip(QUARTERS, ("2025-02-03", "2025-05-05", "2025-08-04", "2025-11-03"), strict=True):
        await declarant.sold(1000, day)
        declaration = await declarant.generated(country="ES", form="303", year=2025, period=quarter)
        await declarant.submitted(await declarant.changed(declaration, declarationType="I"))
    await declarant.generated(country="ES", form="390", year=2025, period="Y")
    return declarant


async def test_a_sale_after_the_filing_moves_303_and_390_apart(vat_year):
    before = await checks_of(vat_year)
    await vat_year.sold(500, "2025-12-30", operationDate="2025-03-20")
    await vat_year.generated(country="ES", form="390", year=2025, period="Y")

    after = await checks_of(vat_year)

    assert {states(before)[code] for code in VAT} == {"equal"}
    assert {code: (states(after)[code], after[code]["difference"]) for code in VAT} == {
        "303_390_bases": ("different", -500),
        "303_390_vat_due": ("different", -105),
        "303_390_result": ("different", -105),
    }
    due = after["303_390_vat_due"]
    assert statuses(due["left"]) == [("303", quarter, "submitted") for quarter in QUARTERS]
    assert statuses(due["right"]) == [("390", "Y", "draft")]
    (yearly,) = due["right"]["terms"]
    assert (await vat_year.get(f"{PATH}/{yearly['declarationId']}"))["declaration"]["boxes"]["47"] == yearly["amount"]
    assert due["note"]


async def test_a_missing_declaration_is_named(declarant):
    await declarant.sold(1000, "2025-02-03")
    await declarant.generated(country="ES", form="303", year=2025, period="Q1")

    due = (await checks_of(declarant))["303_390_vat_due"]

    assert (due["state"], due["difference"]) == ("incomplete", None)
    assert statuses(due["left"]) == [("303", "Q1", "draft"), *(("303", one, "missing") for one in QUARTERS[1:])]
    assert statuses(due["right"]) == [("390", "Y", "missing")]
    assert "303: Q2, Q3, Q4; 390: Y" in due["note"]


async def test_what_nobody_has_to_declare_is_not_applicable(declarant):
    found = states(await checks_of(declarant))

    withheld = ("111_190_paid", "111_190_withheld", "190_payees", "115_180_base", "115_180_withheld")
    assert {found[code] for code in withheld} == {"not_applicable"}


async def test_titles_and_advice_are_in_the_readers_language(ana):
    spanish = await ana.request("GET", CHECKS, **{"Accept-Language": "es"})

    assert spanish.json()[0]["title"] == "Bases imponibles: 303 y 390"


async def test_a_country_without_checks_has_none(ana):
    assert await ana.get(f"{PATH}/checks?country=VT&year=2026") == []


async def test_an_unknown_country_is_refused(ana):
    problem = await ana.refused(400, "GET", f"{PATH}/checks?country=XX&year=2025")

    assert problem["code"] == "DECLARATION_UNSUPPORTED"
