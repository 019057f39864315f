"""Several billings are counted over all teams that a user owns, and stated in every record."""

from dataclasses import replace
from itertools import count

import pytest
from lxml import etree

from support.api import ADDRESS, Api
from support.office import emit, nif
from support.signed_mode import keep

_numbers = count(30_000_101)


@pytest.fixture
async def gestor(office):
    """A user with a team, at work in it."""
    return await office.account("Clienta Uno")


async def another_team(api: Api, **fields) -> Api:
    """Create another team of the same user; requests of the returned client go to that team."""
    fields_of_team = {"name": "Clienta Dos", "country": "ES", "taxId": nif(next(_numbers)), **ADDRESS, **fields}
    team = await api.post("/api/teams", fields_of_team)
    return at(api, team["id"], team)


def at(api: Api, team_id: str, team=None) -> Api:
    return replace(api, headers={**api.headers, "X-Team-Id": team_id}, team=team or {"id": team_id})


@pytest.fixture
def indicators(office):
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


async def emitted(api):
    invoice = await api.invoice()
    return await emit(api, invoice)


async def test_one_team_of_its_own_is_one_billing(gestor, indicators):
    await emitted(gestor)

    assert await indicators(gestor) == ["N"]


async def test_a_second_team_makes_the_billings_several_in_both_from_then_on(gestor, indicators):
    first = at(gestor, gestor.team["id"], gestor.team)
    annulled = await emitted(first)
    second = await another_team(gestor)

    await emitted(second)
    await emitted(first)
    await first.post("/api/einvoice/annul", {"fiscalId": annulled["fiscalId"], "reason": "duplicada"})

    assert await indicators(second) == ["S"]
    assert await indicators(first) == ["N", "S", "S"]


async def test_a_second_team_of_the_same_issuer_counts_too(gestor, indicators):
    second = await another_team(gestor, taxId=gestor.team["taxId"])

    await emitted(second)

    assert await indicators(second) == ["S"]


@pytest.mark.parametrize("fields", [{"taxId": None}, {"country": "FR", "taxId": "FR61954506077"}])
async def test_a_team_that_cannot_bill_here_does_not_count(gestor, indicators, fields):
    first = at(gestor, gestor.team["id"], gestor.team)
    await another_team(gestor, **fields)

    await emitted(first)

    assert await indicators(first) == ["N"]


async def test_a_team_that_has_billed_counts_even_without_a_tax_id(gestor, indicators):
    first = at(gestor, gestor.team["id"], gestor.team)
    second = await another_team(gestor)
    await emitted(second)
    await second.put("/api/teams/current", {"taxId": None, "country": "FR"})

    await emitted(first)

    assert await indicators(first) == ["S"]


async def test_a_member_of_several_teams_makes_none_of_them_several(office, gestor, indicators):
    berta = await office.account("Berta Gil")
    first = at(gestor, gestor.team["id"], gestor.team)
    await first.post("/api/teams/current/invite", {"email": berta.email, "role": "admin"})

    await emitted(at(berta, first.team["id"], first.team))
    await emitted(at(berta, berta.team["id"], berta.team))

    assert (await indicators(first), await indicators(berta)) == (["N"], ["N"])


async def test_people_and_keys_of_a_team_work_for_its_owner(office, gestor, indicators):
    berta = await office.account("Berta Gil")
    first = at(gestor, gestor.team["id"], gestor.team)
    await another_team(gestor)
    await first.post("/api/teams/current/invite", {"email": berta.email, "role": "admin"})

    await emitted(at(berta, first.team["id"], first.team))

    assert await indicators(first) == ["S"]


async def test_another_issuer_in_the_same_team_counts_as_before(gestor, indicators):
    first = at(gestor, gestor.team["id"], gestor.team)
    await emitted(first)
    await first.put("/api/teams/current", {"taxId": nif(next(_numbers))})

    await emitted(first)

    assert await indicators(first) == ["N", "S"]


async def test_events_state_the_same_as_records(gestor, indicators):
    first = at(gestor, gestor.team["id"], gestor.team)
    await keep(first)
    await another_team(gestor)

    await emitted(first)
    await first.put("/api/einvoice/mode", {"mode": "verifactu"})

    events = await indicators(first, "fiscal_event")
    assert (await indicators(first), events[0], events[-1]) == (["S"], "N", "S")
