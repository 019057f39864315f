"""A declaration names the documents in it that were issued under another tax identifier than the declarant's."""

from decimal import Decimal

import pytest

from support.declarations import Declarant

CURRENT = "/api/teams/current"
NEW_NIF = "B12345674"
QUARTER = {"country": "ES", "form": "303", "year": 2026, "period": "Q3"}


def other_issuers(declaration) -> list[dict]:
    return [one for one in declaration["warnings"] if one["code"] == "other_issuer"]


@pytest.fixture
async def changed(declarant) -> tuple[Declarant, dict, dict]:
    """The declarant with a new NIF, an invoice of the earlier one and one of the new one."""
    before = await declarant.sold(100, "2026-07-10")
    await declarant.put(CURRENT, {"taxId": NEW_NIF, "company": "Ruiz y Gil, S.L."})
    after = await declarant.sold(200, "2026-08-10")
    return declarant, before, after


@pytest.mark.parametrize(("form", "period"), [("303", "Q3"), ("390", "Y"), ("130", "Q3"), ("347", "Y")])
async def test_no_form_takes_them_in_silence(declarant, form, period):
    before = await declarant.sold(5_000, "2026-07-10")
    await declarant.put(CURRENT, {"taxId": NEW_NIF})

    declaration = await declarant.generated(**QUARTER | {"form": form, "period": period})

    [warning] = other_issuers(declaration)
    assert warning["documentIds"] == [before["id"]]


async def test_the_warning_names_the_documents_and_both_tax_identifiers(changed):
    declarant, before, after = changed

    declaration = await declarant.generated(**QUARTER)

    [warning] = other_issuers(declaration)
    assert warning["documentIds"] == [before["id"]]
    assert all(one in warning["message"] for one in (before["number"], declarant.team["taxId"], NEW_NIF))
    assert after["number"] not in warning["message"]
    assert Decimal(str(declaration["boxes"]["07"])) == 300


async def test_the_warning_is_in_the_callers_language(changed):
    declarant, before, _ = changed
    made = await declarant.generated(**QUARTER)

    answer = await declarant.request("GET", f"/api/tax-declarations/{made['id']}", **{"Accept-Language": "es"})

    [warning] = other_issuers(answer.json()["declaration"])
    assert (
        f"cuentan documentos expedidos con el NIF {declarant.team['taxId']}: {before['number']}" in warning["message"]
    )


async def test_a_draft_of_before_the_change_says_it_and_what_was_submitted_stays(declarant):
    await declarant.sold(100, "2026-07-10")
    draft = await declarant.generated(**QUARTER)
    await declarant.put(CURRENT, {"taxId": NEW_NIF})

    read = await declarant.read(draft)
    again = await declarant.read(await declarant.generated(**QUARTER))

    assert (other_issuers(draft), len(other_issuers(read)), len(other_issuers(again))) == ([], 1, 1)


async def test_what_was_submitted_before_the_change_is_of_the_declarant_of_then(declarant):
    await declarant.sold(100, "2026-07-10")
    submitted = await declarant.submitted(await declarant.generated(**QUARTER))
    await declarant.put(CURRENT, {"taxId": NEW_NIF})

    assert other_issuers(await declarant.read(submitted)) == []


async def test_one_tax_identifier_has_no_such_warning_whatever_else_changes(declarant):
    await declarant.sold(100, "2026-07-10")
    await declarant.put(CURRENT, {"company": "Ana Ruiz Diseño", "address": "Gran Vía 2"})

    assert other_issuers(await declarant.generated(**QUARTER)) == []


async def test_many_are_named_by_their_first_ten_and_all_ids(declarant):
    sold = [await declarant.sold(100, "2026-07-10") for _ in range(11)]
    await declarant.put(CURRENT, {"taxId": NEW_NIF})

    [warning] = other_issuers(await declarant.generated(**QUARTER))

    assert len(warning["documentIds"]) == 11
    assert sold[9]["number"] in warning["message"]
    assert sold[10]["number"] not in warning["message"]
    assert "11 in all" in warning["message"]
