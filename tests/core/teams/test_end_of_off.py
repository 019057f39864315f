"""The choice to be off ends on the day on which the law obliges the team (decisions P6)."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from ledgerkit.commands.examining import einvoicing
from support.api import Api

CURRENT = "/api/teams/current"
PERSON, COMPANY, TOWN_HALL = "12345678Z", "B12345674", "P2807900B"
NEW_YEAR = datetime(2026, 12, 31, 23, tzinfo=UTC)
"""The first moment of 2027 in Madrid, in which companies are obliged."""
JULY = datetime(2027, 6, 30, 22, tzinfo=UTC)
"""The first moment of July 2027 in Madrid, in which all others are."""
SECOND = timedelta(seconds=1)


async def team(client, tax_id: str, **values) -> Api:
    eva = await Api.register(client, "eva@example.com")
    eva.team = await eva.post("/api/teams", {"name": "Eva", "country": "ES", "taxId": tax_id, **values})
    return eva


async def paid(api: Api) -> dict:
    return await api.patch(f"/api/invoices/{(await api.invoice())['id']}/pay")


@pytest.mark.parametrize(("tax_id", "first"), [(COMPANY, NEW_YEAR), (PERSON, JULY)])
async def test_off_can_be_chosen_until_the_day_and_not_from_it_on(client, tax_id, first):
    with time_machine.travel(first - SECOND, tick=False):
        eva = await team(client, tax_id)
        before = await eva.put(CURRENT, {"einvoicing": "off"})
    with time_machine.travel(first, tick=False):
        await eva.put(CURRENT, {"einvoicing": "on"})
        problem = await eva.refused(409, "PUT", CURRENT, {"einvoicing": "off"})

    day = "2027-01-01" if tax_id == COMPANY else "2027-07-01"
    assert before["team"]["einvoicing"] == "off"
    assert problem["code"] == "EINVOICING_OBLIGED"
    assert day in problem["detail"]
    assert "Real Decreto-ley 15/2025" in problem["detail"]
    assert problem["remedy"]


async def test_the_day_begins_at_the_teams_place(client):
    with time_machine.travel(NEW_YEAR, tick=False):
        eva = await team(client, COMPANY, timezone="Atlantic/Canary")
        await eva.put(CURRENT, {"einvoicing": "off"})
        await eva.put(CURRENT, {"einvoicing": "on"})
        problem = await eva.refused(409, "PUT", CURRENT, {"einvoicing": "off", "timezone": "Europe/Madrid"})

    assert problem["code"] == "EINVOICING_OBLIGED"


async def test_a_new_team_cannot_be_off_either(client):
    with time_machine.travel(NEW_YEAR, tick=False):
        eva = await Api.register(client, "eva@example.com")
        fields = {"name": "Eva", "country": "ES", "taxId": COMPANY, "einvoicing": "off"}
        problem = await eva.refused(409, "POST", "/api/teams", fields)

    assert problem["code"] == "EINVOICING_OBLIGED"


async def test_from_the_day_on_what_is_numbered_is_recorded_whatever_was_chosen(client):
    with time_machine.travel(JULY - SECOND, tick=False):
        eva = await team(client, PERSON, einvoicing="off")
        last_without = await paid(eva)
    with time_machine.travel(JULY, tick=False):
        state = (await eva.get(CURRENT))["team"]["einvoicing"]
        providers = await eva.get("/api/einvoice/providers")
        first_with = await paid(eva)

    assert (last_without["number"], last_without["einvoice"]) == ("F2027-0001", None)
    assert (state, providers["einvoicing"], providers["offBecause"]) == ("on", "on", None)
    assert (first_with["number"], first_with["einvoice"]["status"]) == ("F2027-0002", "pending")


async def test_who_is_off_is_told_of_the_day_before_it_and_after_it(client, kernel):
    with time_machine.travel(JULY - SECOND, tick=False):
        eva = await team(client, PERSON, einvoicing="off")
        [before] = (await eva.get(CURRENT))["team"]["warnings"]
    with time_machine.travel(JULY, tick=False):
        [after] = (await eva.request("GET", CURRENT, **{"Accept-Language": "es"})).json()["team"]["warnings"]
        doctors = [finding.text async for finding in einvoicing.of_issuers(kernel)]
        await paid(eva)
        recorded = (await eva.get(CURRENT))["team"]["warnings"]

    assert ("until 2027-07-01" in before, "Real Decreto-ley 15/2025" in before) == (True, True)
    assert "la ley te obliga desde el 2027-07-01" in after
    assert [one for one in map(str, doctors) if "you had switched" in one.lower()]
    assert recorded == []


async def test_who_is_on_is_told_nothing(ana):
    assert (await ana.get(CURRENT))["team"]["warnings"] == []


async def test_who_the_decree_leaves_out_can_be_off(client):
    with time_machine.travel(JULY, tick=False):
        eva = await team(client, TOWN_HALL, einvoicing="off")
        document = await paid(eva)

    assert eva.team["einvoicing"] == "off"
    assert document["einvoice"] is None
