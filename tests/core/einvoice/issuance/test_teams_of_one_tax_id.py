"""Two teams with one tax identifier: their numbers never meet, and neither learns whose the other team is."""

import asyncio
from datetime import date
from itertools import count
from uuid import UUID

import pytest
from sqlalchemy import text

from support.api import CLIENT, Api, item
from support.database import as_owner
from support.office import emit, eventually, nif
from support.periods import YEAR
from support.tills import Till, line

CURRENT = "/api/teams/current"
_NUMBERS = count(32_000_101)


@pytest.fixture
async def berta(office, ana):
    """A second team with Ana's tax identifier, of a stranger to her."""
    return await second(office, ana.team["taxId"])


async def second(office, tax_id, **fields) -> Api:
    number = next(_NUMBERS)
    api = await Api.register(office.client, f"second{number}@example.com")
    api.team = await api.post("/api/teams", {"name": "Berta Gil", "country": "ES", "taxId": tax_id, **fields})
    return api


async def shown(api) -> dict:
    return (await api.get(CURRENT))["team"]


async def credited(api, original) -> dict:
    """A credit note of all that is left of an emitted invoice."""
    return await api.post(
        "/api/einvoice/credit-note",
        {
            "invoiceId": original["invoiceId"],
            "originalFiscalId": original["fiscalId"],
            "originalDate": original["fiscalId"][-10:],
        },
    )


async def documents(api) -> list[str]:
    """Numbers of an invoice, a simplified one and a credit note, all of them accepted."""
    invoice = await api.invoice(items=[item(unitPrice=100)])
    ticket = await api.invoice(docType="simplified", items=[item(unitPrice=10)])
    results = [await emit(api, invoice), await emit(api, ticket)]
    results.append(await credited(api, results[0]))
    assert [result["status"] for result in results] == ["accepted"] * 3
    return [result["number"] for result in results]


async def numbers(api) -> list[str]:
    """Numbers of `documents`, and of a sale."""
    numbers_of_documents = await documents(api)
    till = await Till.of(api)
    sold = await till.sells(12.1, line(12.1, taxRate=21))
    sale = await api.get(f"/api/invoices/{sold['invoiceId']}")
    return [*numbers_of_documents, sale["number"]]


async def test_the_second_teams_series_differ_from_the_start_and_it_is_told(ana, berta):
    team = berta.team

    assert team["series"] == {"invoice": "FB", "simplified": "TB", "creditNote": "RB"}
    assert len(team["warnings"]) == 3
    assert all(name in " ".join(team["warnings"]) for name in ("F ", "FB", "TB", "RB"))
    assert (ana.team["warnings"], (await shown(ana))["warnings"]) == ([], [])
    assert ana.team["series"] == {"invoice": None, "simplified": None, "creditNote": None}


async def test_the_warning_is_in_the_callers_language(office, ana):
    berta = await Api.register(office.client, f"second{next(_NUMBERS)}@example.com")

    answer = await berta.request(
        "POST", "/api/teams", {"name": "B", "country": "ES", "taxId": ana.team["taxId"]}, **{"Accept-Language": "es"}
    )

    assert "ya se numera en la serie F con este NIF" in answer.json()["warnings"][0]


async def test_both_teams_number_and_both_are_accepted(office, ana, berta):
    of_ana, of_berta = await numbers(ana), await numbers(berta)

    assert of_ana == [f"F{YEAR}-0001", f"T{YEAR}-0001", f"R{YEAR}-0001", f"T{YEAR}-0002"]
    assert of_berta == [f"FB{YEAR}-0001", f"TB{YEAR}-0001", f"RB{YEAR}-0001", f"TB{YEAR}-0002"]

    async def all_reported() -> bool:
        return len(office.authority.records(ana.team["taxId"])) == 8

    await eventually(all_reported)


async def test_a_third_team_takes_the_next_names(office, ana, berta):
    third = await second(office, ana.team["taxId"])

    assert third.team["series"] == {"invoice": "FC", "simplified": "TC", "creditNote": "RC"}


async def test_only_a_stated_series_that_is_taken_is_refused_and_nothing_is_kept(office, ana):
    stranger = await Api.register(office.client, f"second{next(_NUMBERS)}@example.com")
    body = {"name": "Berta", "country": "ES", "taxId": ana.team["taxId"], "series": {"invoice": "F"}}

    problem = await stranger.refused(400, "POST", "/api/teams", body)
    team = await stranger.post("/api/teams", {**body, "series": {"invoice": "B"}})

    assert problem["code"] == "SERIES_TAKEN"
    assert [error["field"] for error in problem["errors"]] == ["series.invoice"]
    assert team["series"]["invoice"] == "B"


async def test_nobody_learns_whose_the_other_team_is(office, ana, berta):
    refused = await berta.request("PUT", CURRENT, {"series": {"invoice": "F"}})
    activity = await berta.get("/api/invoices/activity/feed")
    said = refused.text + str(berta.team) + str(await shown(berta)) + str(activity)

    for secret in (ana.team["id"], ana.team["name"], ana.email):
        assert secret not in said
    assert refused.json()["code"] == "SERIES_TAKEN"


async def test_a_tax_id_that_is_set_or_changed_later_takes_other_series(office, ana):
    without = await second(office, None)
    other = await second(office, nif(next(_NUMBERS)))

    was_set = (await without.put(CURRENT, {"taxId": ana.team["taxId"]}))["team"]
    was_changed = (await other.put(CURRENT, {"taxId": ana.team["taxId"]}))["team"]

    assert (was_set["series"]["invoice"], was_changed["series"]["invoice"]) == ("FB", "FC")
    assert (len(was_set["warnings"]), len(was_changed["warnings"])) == (3, 3)
    assert (await emit(without, await without.invoice()))["number"] == f"FB{YEAR}-0001"


async def test_a_series_that_is_changed_later_may_not_be_anothers(ana, berta):
    await ana.put(CURRENT, {"series": {"invoice": "A", "simplified": "AT"}})

    refused = await berta.refused(400, "PUT", CURRENT, {"series": {"invoice": "A", "simplified": "AT"}})
    free = (await berta.put(CURRENT, {"series": {"invoice": "F"}}))["team"]

    assert [error["field"] for error in refused["errors"]] == ["series.invoice", "series.simplified"]
    assert free["series"]["invoice"] == "F"


async def test_a_series_with_numbers_stays_its_accounts_whatever_it_changes(ana, berta):
    await emit(ana, await ana.invoice())

    await ana.put(CURRENT, {"series": {"invoice": "A"}})
    refused = await berta.refused(400, "PUT", CURRENT, {"series": {"invoice": "F"}})
    again = (await ana.put(CURRENT, {"series": {"invoice": "F"}}))["team"]

    assert refused["code"] == "SERIES_TAKEN"
    assert (again["series"]["invoice"], again["warnings"]) == ("F", [])


async def test_a_profile_sent_back_as_it_was_read_changes_nothing(berta):
    before = await shown(berta)

    after = (await berta.put(CURRENT, {"series": before["series"], "taxId": before["taxId"], "city": "Soria"}))["team"]

    assert (after["series"], after["warnings"]) == (before["series"], [])


async def test_a_draft_of_before_gets_its_number_in_the_teams_series(office, ana):
    workspace = await Api.register(office.client, f"second{next(_NUMBERS)}@example.com")
    draft = await workspace.invoice()
    workspace.team = await workspace.post(
        "/api/teams", {"name": "B", "country": "ES", "taxId": ana.team["taxId"], "address": "Calle Mayor 1"}
    )

    result = await emit(workspace, draft)

    assert (draft["series"], result["number"]) == ("F", f"FB{YEAR}-0001")
    assert (await workspace.get(f"/api/invoices/{draft['id']}"))["series"] == "FB"


async def test_two_teams_at_once_never_have_one_series(office):
    for _ in range(3):
        tax_id = nif(next(_NUMBERS))
        teams = await asyncio.gather(*(second(office, tax_id) for _ in range(4)))

        series = [api.team["series"] for api in teams]
        for kind, default in (("invoice", "F"), ("simplified", "T"), ("creditNote", "R")):
            names = [one[kind] or default for one in series]
            assert len(set(names)) == 4, names


async def test_two_teams_that_take_one_tax_id_at_once_emit_different_numbers(office):
    tax_id = nif(next(_NUMBERS))
    teams = await asyncio.gather(*(second(office, None, address="Calle Mayor 1") for _ in range(3)))
    drafts = [await api.invoice() for api in teams]

    await asyncio.gather(*(api.put(CURRENT, {"taxId": tax_id}) for api in teams))
    results = await asyncio.gather(*(emit(api, draft) for api, draft in zip(teams, drafts, strict=True)))

    assert len({result["number"] for result in results}) == 3
    assert {result["status"] for result in results} == {"accepted"}


async def test_other_countries_and_other_identifiers_share_nothing(office, ana):
    elsewhere = await second(office, nif(next(_NUMBERS)))
    abroad = await Api.register(office.client, f"second{next(_NUMBERS)}@example.com")
    team = await abroad.post("/api/teams", {"name": "B", "country": "PT", "taxId": ana.team["taxId"]})

    assert (elsewhere.team["warnings"], team["warnings"]) == ([], [])


async def test_a_credit_note_of_an_earlier_identifier_takes_no_number_of_another_team(office, ana):
    """The team's series of today may be another team's under the identifier of the original."""
    old = ana.team["taxId"]
    original = await emit(ana, await ana.invoice())
    await ana.put(CURRENT, {"taxId": nif(next(_NUMBERS)), "series": {"creditNote": "Q"}})
    await second(office, old, series={"invoice": "Y", "creditNote": "Q"})

    note = await credited(ana, original)

    assert (note["status"], note["number"]) == ("accepted", f"R{YEAR}-0001")
    assert note["fiscalId"].startswith(f"{old}:")
    assert (await shown(ana))["series"]["creditNote"] == "Q"


async def test_a_credit_note_of_an_earlier_identifier_shares_no_series_by_numbers_of_the_present_one(office, ana):
    """The team has numbers in Q, but not under the identifier with which another team holds Q."""
    old = ana.team["taxId"]
    original = await emit(ana, await ana.invoice())
    await ana.put(CURRENT, {"taxId": nif(next(_NUMBERS)), "series": {"creditNote": "Q"}})
    await credited(ana, await emit(ana, await ana.invoice()))
    other = await second(office, old, series={"invoice": "Y", "creditNote": "Q"})
    of_other = await credited(other, await emit(other, await other.invoice()))

    note = await credited(ana, original)

    assert of_other["number"] == f"Q{YEAR}-0001"
    assert (note["status"], note["number"]) == ("accepted", f"R{YEAR}-0001")
    assert (await shown(ana))["series"]["creditNote"] == "Q"


# ---------------------------------------------------------------- teams of before


async def shared_before(office, ana, berta) -> None:
    """As earlier versions left it: both teams in the same series."""
    async with as_owner(office.kernel) as connection:
        values = {"id": UUID(berta.team["id"])}
        await connection.execute(text("delete from issuer_series where account_id = :id"), values)
        await connection.execute(text("update account set series = '{}' where id = :id"), values)


async def hand_over(office, series, api) -> None:
    async with as_owner(office.kernel) as connection:
        await connection.execute(
            text("update issuer_series set account_id = :id where series = :series and tax_id = :tax_id"),
            {"id": UUID(api.team["id"]), "series": series, "tax_id": api.team["taxId"]},
        )


async def test_teams_that_share_a_series_with_numbers_keep_it_and_are_warned(office, ana, berta):
    await emit(ana, await ana.invoice())
    await shared_before(office, ana, berta)
    await hand_over(office, "F", berta)
    async with as_owner(office.kernel) as connection:
        await connection.execute(
            text(
                "insert into invoice_counter (account_id, series, year, next, last_date)"
                " values (:id, 'F', :year, 4, :last)"
            ),
            {"id": UUID(berta.team["id"]), "year": YEAR, "last": date(YEAR, 1, 1)},
        )
    assert (await emit(berta, await berta.invoice()))["number"] == f"F{YEAR}-0004"
    await hand_over(office, "F", ana)

    before = await shown(berta)
    emitted = await emit(berta, await berta.invoice())
    kept = (await berta.put(CURRENT, {"city": "Soria", "series": {"invoice": "F"}}))["team"]

    assert emitted["number"] == f"F{YEAR}-0005"
    assert any("series F " in warning for warning in before["warnings"])
    assert kept["series"]["invoice"] == "F"
    assert any("series F " in warning for warning in kept["warnings"])


async def test_numbers_of_an_earlier_identifier_are_no_share_in_the_series_of_another_team(office, ana, berta):
    """Earlier versions let a team go on in its series with another identifier, with which another team holds it."""
    await emit(ana, await ana.invoice())
    other = await second(office, nif(next(_NUMBERS)))
    await emit(other, await other.invoice())
    await ana.put(CURRENT, {"taxId": other.team["taxId"]})
    await shared_before(office, other, ana)

    emitted = await emit(ana, await ana.invoice())

    assert (emitted["status"], emitted["number"]) == ("accepted", f"FB{YEAR}-0001")


async def test_a_team_of_before_without_numbers_begins_in_another_series(office, ana, berta):
    await emit(ana, await ana.invoice())
    await shared_before(office, ana, berta)

    first, second_one = [(await emit(berta, await berta.invoice()))["number"] for _ in range(2)]

    assert (first, second_one) == (f"FB{YEAR}-0001", f"FB{YEAR}-0002")
    assert (await shown(berta))["series"]["invoice"] == "FB"
    actions = [entry["action"] for entry in await berta.get("/api/invoices/activity/feed")]
    assert "series_changed" in actions


async def test_what_was_never_numbered_is_free_again(office, ana, berta):
    await berta.put(CURRENT, {"taxId": nif(next(_NUMBERS))})

    third = await second(office, ana.team["taxId"])

    assert third.team["series"]["invoice"] == "FB"
    assert CLIENT["name"] not in str(third.team)


# ---------------------------------------------------------------- another issuer in the same books


async def test_a_new_identifier_begins_its_series_at_one_and_the_team_is_told(ana):
    await documents(ana)

    changed = (await ana.put(CURRENT, {"taxId": nif(next(_NUMBERS))}))["team"]
    of_new = await documents(ana)

    assert changed["series"] == {"invoice": "FB", "simplified": "TB", "creditNote": "RB"}
    assert [name in warning for name, warning in zip(("FB", "TB", "RB"), changed["warnings"], strict=True)] == [
        True
    ] * 3
    assert all("earlier tax identifier" in warning for warning in changed["warnings"])
    assert of_new == [f"FB{YEAR}-0001", f"TB{YEAR}-0001", f"RB{YEAR}-0001"]


async def test_series_without_numbers_stay_the_teams(ana):
    await emit(ana, await ana.invoice())

    changed = (await ana.put(CURRENT, {"taxId": nif(next(_NUMBERS))}))["team"]

    assert changed["series"] == {"invoice": "FB", "simplified": None, "creditNote": None}
    assert len(changed["warnings"]) == 1


async def test_back_at_the_first_identifier_its_series_goes_on(ana):
    old = ana.team["taxId"]
    await emit(ana, await ana.invoice())
    await ana.put(CURRENT, {"taxId": nif(next(_NUMBERS))})
    await emit(ana, await ana.invoice())

    back = (await ana.put(CURRENT, {"taxId": old}))["team"]

    assert back["series"]["invoice"] == "F"
    assert (await emit(ana, await ana.invoice()))["number"] == f"F{YEAR}-0002"


async def test_a_series_of_the_earlier_identifier_cannot_be_stated(ana):
    await emit(ana, await ana.invoice())
    await ana.put(CURRENT, {"taxId": nif(next(_NUMBERS))})

    refused = await ana.refused(400, "PUT", CURRENT, {"series": {"invoice": "F"}})

    assert refused["code"] == "SERIES_TAKEN"
    assert "earlier one" in refused["errors"][0]["message"]


async def test_a_draft_of_the_earlier_identifiers_series_gets_its_number_in_the_new_ones(ana):
    await emit(ana, await ana.invoice())
    draft = await ana.invoice()
    await ana.put(CURRENT, {"taxId": nif(next(_NUMBERS))})

    assert (draft["series"], (await emit(ana, draft))["number"]) == ("F", f"FB{YEAR}-0001")


async def test_corrections_of_the_earlier_identifier_and_those_of_the_new_one_are_numbered_apart(ana):
    old = [await emit(ana, await ana.invoice()) for _ in range(3)]
    first = await credited(ana, old[0])
    await ana.put(CURRENT, {"taxId": nif(next(_NUMBERS))})
    new = [await emit(ana, await ana.invoice()) for _ in range(2)]

    notes = [await credited(ana, one) for one in (old[1], new[0], old[2], new[1])]

    assert first["number"] == f"R{YEAR}-0001"
    assert [note["number"] for note in notes] == [f"R{YEAR}-0002", f"RB{YEAR}-0001", f"R{YEAR}-0003", f"RB{YEAR}-0002"]
    assert {note["status"] for note in notes} == {"accepted"}
    assert (await shown(ana))["series"]["creditNote"] == "RB"


async def test_the_first_corrections_of_both_at_once_are_in_two_series(ana):
    old = await emit(ana, await ana.invoice())
    await ana.put(CURRENT, {"taxId": nif(next(_NUMBERS))})
    new = await emit(ana, await ana.invoice())

    notes = await asyncio.gather(credited(ana, old), credited(ana, new))

    assert [note["number"] for note in notes] == [f"RB{YEAR}-0001", f"R{YEAR}-0001"]
    assert (await shown(ana))["series"]["creditNote"] is None


async def test_imported_numbers_are_of_the_identifier_that_the_team_had(ana):
    rows = [
        {
            "number": f"F{YEAR}-0007",
            "issueDate": f"{YEAR}-01-01",
            "clientName": "Norte",
            "description": "x",
            "base": "100,00",
            "taxRate": "21",
        }
    ]
    assert (await ana.post("/api/invoices/import", {"rows": rows}))["documents"] == 1

    await ana.put(CURRENT, {"taxId": nif(next(_NUMBERS))})

    assert (await emit(ana, await ana.invoice()))["number"] == f"FB{YEAR}-0001"
