"""Keys and applications that rules of approvals are for: owners and admins see whose they are, and nothing else."""

from datetime import timedelta

import httpx2
import pytest
import time_machine

from ledgerkit import clock
from support.api import PASSWORD, Api
from support.browsers import Browser
from support.oauth import AUTHORIZE, Application, query_of
from support.scopes import with_scoped_key

PATH = "/api/approvals/policy/connections"


@pytest.fixture
async def colleague(ana, berta) -> Api:
    """Berta, at work in Ana's team as an admin."""
    await ana.post("/api/teams/current/invite", {"email": berta.email, "role": "admin"})
    await berta.post(f"/api/teams/switch/{ana.team['id']}")
    return berta


async def name_of(person: Api) -> str:
    return (await person.get("/auth/me"))["user"]["name"]


async def key_of(person: Api, name: str, **fields: str) -> str:
    return (await person.post("/api/keys", {"name": name, "scopes": ["read"], **fields}))["id"]


async def application_of(person: Api, client: httpx2.AsyncClient, name: str) -> str:
    application = await Application.registered(client, client_name=name)
    visitor = Browser(client._transport.app)
    page = await visitor.open(str(httpx2.URL(AUTHORIZE, params=application.request(scope="read write"))))
    answer = await visitor.press(await visitor.log_in(page, person.email, PASSWORD), "allow")
    await application.exchange(query_of(answer.headers["location"])["code"])
    (grant,) = await person.get("/api/oauth/grants")
    return grant["id"]


async def rule(person: Api, *connections: str) -> None:
    rules = [{"connection": connection, "asked": "app"} for connection in connections]
    await person.put("/api/approvals/policy", {"asked": "host", "connections": rules})


async def test_they_have_their_own_name_and_that_of_their_person(client, ana, colleague):
    own, key = await key_of(ana, "Contable"), await key_of(colleague, "Gestoría")
    application = await application_of(colleague, client, "Asistente")
    await rule(ana, own, key, application)

    hers, theirs = {"person": await name_of(ana)}, {"person": await name_of(colleague)}
    shown = [
        {"connection": own, "kind": "key", "name": "Contable", "isOwn": True, **hers},
        {"connection": key, "kind": "key", "name": "Gestoría", "isOwn": False, **theirs},
        {"connection": application, "kind": "application", "name": "Asistente", "isOwn": False, **theirs},
    ]
    assert await ana.get(PATH) == shown
    assert await colleague.get(PATH) == [{**one, "isOwn": not one["isOwn"]} for one in shown]


async def test_without_a_rule_of_their_own_only_ones_own_are_shown(ana, colleague):
    await key_of(colleague, "Privada")
    ruled = await key_of(colleague, "Gestoría")
    await key_of(ana, "Contable")
    await rule(ana, ruled)

    assert [one["name"] for one in await ana.get(PATH)] == ["Gestoría", "Contable"]
    assert [one["name"] for one in await colleague.get(PATH)] == ["Privada", "Gestoría"]


async def test_what_has_ended_is_not_shown(client, ana, colleague):
    key, kept = await key_of(colleague, "Gestoría"), await key_of(colleague, "Otra")
    end = clock.now() + timedelta(minutes=5)
    brief = await key_of(colleague, "De prueba", expiresAt=end.isoformat())
    application = await application_of(colleague, client, "Asistente")
    await rule(ana, key, brief, kept, application)
    before = [one["connection"] for one in await ana.get(PATH)]
    await colleague.delete(f"/api/keys/{key}")
    await colleague.delete(f"/api/oauth/grants/{application}")

    assert before == [key, kept, brief, application]
    with time_machine.travel(end):
        assert [one["connection"] for one in await ana.get(PATH)] == [kept]


async def test_a_rule_goes_with_the_connection_that_is_revoked(client, ana, colleague):
    kept, key = await key_of(colleague, "Otra"), await key_of(colleague, "Gestoría")
    revoked = await application_of(colleague, client, "Asistente")
    application = await Application.registered(client)
    tokens = await application.connected(ana)
    (signed_out,) = [grant["id"] for grant in await ana.get("/api/oauth/grants")]
    connections = [kept, key, revoked, signed_out]
    await rule(ana, *connections)

    async def ruled() -> tuple[list[str], str]:
        answer = await ana.request("GET", "/api/approvals/policy")
        return [one["connection"] for one in answer.json()["connections"]], answer.headers["etag"]

    _, before = await ruled()
    for connection, revoking in {
        key: colleague.delete(f"/api/keys/{key}"),
        revoked: colleague.delete(f"/api/oauth/grants/{revoked}"),
        signed_out: application.post("/oauth/revoke", token=tokens["refresh_token"]),
    }.items():
        await revoking
        connections.remove(connection)
        left, etag = await ruled()
        assert (left, etag != before) == (connections, True)
        before = etag

    await colleague.delete(f"/api/keys/{await key_of(colleague, 'Sin regla')}")
    assert await ruled() == ([kept], before)


async def test_an_id_of_another_account_tells_nothing(client, ana, berta):
    """A rule may name any id: whose it is stays with the account in which it works."""
    foreign = [await key_of(ana, "Contable"), await application_of(ana, client, "Asistente")]
    await rule(berta, *foreign)

    assert await berta.get(PATH) == []


async def test_a_key_that_works_in_the_persons_other_team_is_not_shown(ana, berta, colleague):
    await berta.post(f"/api/teams/switch/{berta.team['id']}")
    elsewhere = await key_of(berta, "De su empresa")
    await rule(ana, elsewhere)

    assert await ana.get(PATH) == []


@pytest.mark.parametrize("role", ["finance", "operations", "member", "viewer"])
async def test_others_and_keys_see_none(ana, berta, role):
    await ana.post("/api/teams/current/invite", {"email": berta.email, "role": role})
    await berta.post(f"/api/teams/switch/{ana.team['id']}")
    key = await with_scoped_key(ana, "read", "team")

    await berta.refused(403, "GET", PATH)
    await key.refused(401, "GET", PATH)
