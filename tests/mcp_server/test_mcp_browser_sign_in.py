"""An assistant signs in by a person's browser: from the registration over the consent page to its first tool."""

import httpx2
import pytest

from support.api import PASSWORD
from support.browsers import Browser
from support.oauth import AUTHORIZE, Application, query_of


async def signed_in(site, person, *, scope="read write", **choices: str | None) -> dict[str, str]:
    """The tokens that an application gets once the person has logged in and allowed what it asks for."""
    visitor = Browser(site.app)
    application = await Application.registered(visitor.http)
    address = str(httpx2.URL(AUTHORIZE, params=application.request(scope=scope)))
    consent = await visitor.log_in(await visitor.open(address), person.email, PASSWORD)
    answer = await visitor.press(consent, "allow", **choices)
    tokens = await application.exchange(query_of(answer.headers["location"])["code"])
    assert tokens.status_code == 200, tokens.text
    return tokens.json()


async def agent_of(site, person, **asked: str | None):
    tokens = await signed_in(site, person, **asked)
    return site.agent(person, Authorization=f"Bearer {tokens['access_token']}")


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_browser_walks_from_the_registration_to_the_tools(site, era):
    ana = await site.person()
    agent = await agent_of(site, ana)

    async with agent.connected(era) as session:
        tools = (await session.list_tools()).tools
        result = await session.call_tool("whoami", {})

    assert "create_invoice" in {tool.name for tool in tools}
    assert result.structured_content["team"]["id"] == ana.team["id"]


async def test_it_works_in_the_team_that_was_chosen_whichever_is_active(site):
    ana = await site.person()
    other = await ana.post("/api/teams", {"name": "Estudio Ruiz", "country": "ES"})

    agent = await agent_of(site, ana, account=ana.team["id"])

    assert (await agent.ok("whoami"))["team"]["id"] == ana.team["id"] != other["id"]


async def test_a_scope_that_was_unticked_is_asked_for_again(site):
    ana = await site.person()
    agent = await agent_of(site, ana, scope_write=None)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "create_invoice", "arguments": {}}}
    headers = {"Accept": "application/json, text/event-stream", **agent.headers}

    answer = await site.client.post(site.url, headers=headers, json=call)

    assert answer.status_code == 403
    assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]


async def test_a_fiscal_act_asks_for_the_scope_that_the_person_did_not_tick(site):
    """The page leaves it unticked; the tool asks for it, and it is there once the person has ticked it."""
    ana = await site.person()
    draft = await ana.invoice()
    asked = "read write fiscal team"
    call = {"name": "emit_einvoice", "arguments": {"invoiceId": draft["id"]}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    agent = await agent_of(site, ana, scope=asked)
    headers = {"Accept": "application/json, text/event-stream", **agent.headers}

    answer = await site.client.post(site.url, headers=headers, json=request)

    assert answer.status_code == 403
    assert 'scope="read write fiscal"' in answer.headers["www-authenticate"]
    agent = await agent_of(site, ana, scope="read write fiscal", scope_fiscal="on")
    await agent.preview("emit_einvoice", invoiceId=draft["id"])


async def test_a_person_lets_an_assistant_propose_in_place_of_writing(site):
    ana = await site.person()
    agent = await agent_of(site, ana, scope_propose="on", scope_write=None)

    answer = await agent.ok("create_invoice", client={"name": "Norte"}, items=[{"description": "x", "unitPrice": 1}])

    assert answer["proposed"] is True
    assert await ana.get("/api/invoices") == []


async def test_a_revoked_assistant_is_sent_away_at_once(site):
    ana = await site.person()
    agent = await agent_of(site, ana)
    await agent.ok("whoami")
    (grant,) = await ana.get("/api/oauth/grants")
    assert grant["lastUsedAt"] is not None

    await ana.delete(f"/api/oauth/grants/{grant['id']}")

    answer = await site.client.post(site.url, headers=agent.headers, json={})
    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


async def test_its_token_opens_no_rest_interface_and_no_list_of_grants(site):
    ana = await site.person()
    agent = await agent_of(site, ana)

    for path in ("/api/invoices", "/auth/me", "/api/oauth/grants"):
        assert (await site.client.get(path, headers=agent.headers)).status_code == 401
