"""Whether a user bills for several is counted over all the teams that the user owns, and told in every record."""

from dataclasses import replace
from itertools import count

import pytest
from lxml import etree

from support.api import ADDRESS, Api
from support.keeping import keep
from support.office import emit, nif

_numbers = count(30_000_101)


@pytest.fixture
async def gestor(office):
    """Somebody with a team, at work in it."""
    return await office.account("Clienta Uno")


async def another(api: Api, **fields) -> Api:
    """The same user at work in one more team of theirs; the answer's headers keep to that team."""
    wanted = {"name": "Clienta Dos", "country": "ES", "taxId": nif(next(_numbers)), **ADDRESS, **fields}
    team = await api.post("/api/teams", wanted)
    return at(api, team["id"], team)


def at(api: Api, team_id: str, team=None) -> Api:
    return replace(api, headers={**api.headers, "X-Team-Id": team_id}, team=team or {"id": team_id})


@pytest.fixture
def told(office):
    """IndicadorMultiplesOT of all records of a team, or of its events."""

    async def read(api, table="fiscal_record"):
        statement = {
            "fiscal_record": "select content from fiscal_record where account_id = :account order by position",
            "fiscal_event": "select content from fiscal_event where account_id = :account order by position",
        }[table]
        rows = await office.rows(statement, account=api.team["id"])
        return [
            leaf.text
            for row in rows
            for leaf in etree.fromstring(row.content).iter()
            if etree.QName(leaf).localname == "IndicadorMultiplesOT"
        ]

    return read


async def sold(api):
    made = await api.invoice()
    return await emit(api, made)


async def test_one_team_of_its_own_is_one_billing(gestor, told):
    await sold(gestor)

    assert await told(gestor) == ["N"]


async def test_a_second_team_makes_it_several_in_both_from_then_on(gestor, told):
    first = at(gestor, gestor.team["id"], gestor.team)
    done = await sold(first)
    second = await another(gestor)

    await sold(second)
    await sold(first)
    await first.post("/api/einvoice/annul", {"fiscalId": done["fiscalId"], "reason": "duplicada"})

    assert await told(second) == ["S"]
    assert await told(first) == ["N", "S", "S"]


async def test_a_second_team_of_the_same_issuer_counts_too(gestor, told):
    second = await another(gestor, taxId=gestor.team["taxId"])

    await sold(second)

    assert await told(second) == ["S"]


@pytest.mark.parametrize("fields", [{"taxId": None}, {"country": "FR", "taxId": "FR61954506077"}])
async def test_a_team_that_cannot_bill_here_does_not_count(gestor, told, fields):
    first = at(gestor, gestor.team["id"], gestor.team)
    await another(gestor, **fields)

    await sold(first)

    assert await told(first) == ["N"]


async def test_a_team_that_has_billed_counts_whatever_becomes_of_it(gestor, told):
    first = at(gestor, gestor.team["id"], gestor.team)
    second = await another(gestor)
    await sold(second)
    await second.put("/api/teams/current", {"taxId": None, "country": "FR"})

    await sold(first)

    assert await told(first) == ["S"]


async def test_whoever_is_invited_to_several_teams_makes_none_of_them_several(office, gestor, told):
    berta = await office.account("Berta Gil")
    first = at(gestor, gestor.team["id"], gestor.team)
    await first.post("/api/teams/current/invite", {"email": berta.email, "role": "admin"})

    await sold(at(berta, first.team["id"], first.team))
    await sold(at(berta, berta.team["id"], berta.team))

    assert (await told(first), await told(berta)) == (["N"], ["N"])


async def test_people_and_keys_of_a_team_work_for_its_owner(office, gestor, told):
    berta = await office.account("Berta Gil")
    first = at(gestor, gestor.team["id"], gestor.team)
    await another(gestor)
    await first.post("/api/teams/current/invite", {"email": berta.email, "role": "admin"})

    await sold(at(berta, first.team["id"], first.team))

    assert await told(first) == ["S"]


async def test_another_issuer_in_the_same_team_counts_as_before(gestor, told):
    first = at(gestor, gestor.team["id"], gestor.team)
    await sold(first)
    await first.put("/api/teams/current", {"taxId": nif(next(_numbers))})

    await sold(first)

    assert await told(first) == ["N", "S"]


async def test_events_say_the_same_as_records(gestor, told):
    first = at(gestor, gestor.team["id"], gestor.team)
    await keep(first)
    await another(gestor)

    await sold(first)
    await first.put("/api/einvoice/mode", {"mode": "verifactu"})

    events = await told(first, "fiscal_event")
    assert (await told(first), events[0], events[-1]) == (["S"], "N", "S")
