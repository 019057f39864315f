"""Credentials at /mcp beside the account's key: scoped keys and access tokens, and the step to more scopes."""

from contextlib import asynccontextmanager

import httpx2
import pytest
from sqlalchemy import update
from test_mcp_gate import ACCEPT, BAD_TOKEN, CALL, METADATA, assert_problem, post

from ledgerkit.app import create_app
from ledgerkit.core.platform.oauth.table import oauth_grant
from support.api import Api, invoice_body
from support.scopes import with_scoped_key


def tool_call(name: str, arguments: object = None, number: int = 1) -> dict[str, object]:
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments or {}},
    }


async def send(site, credential: str, body: object):
    headers = {**ACCEPT, "Authorization": f"Bearer {credential}", "MCP-Protocol-Version": "2025-06-18"}
    return await site.client.post("/mcp", headers=headers, json=body)


def assert_asks_for(answer, scopes: str) -> None:
    assert_problem(answer, 403, "INSUFFICIENT_SCOPE")
    assert answer.headers["www-authenticate"] == f'Bearer error="insufficient_scope", scope="{scopes}", {METADATA}'


# ---------------------------------------------------------------- who gets in


@pytest.mark.parametrize("header", ["Authorization", "x-api-key"])
async def test_a_scoped_key_opens(site, header):
    ana = await site.person()
    key = (await with_scoped_key(ana, "read")).api_key

    answer = await post(site, {header: f"Bearer {key}" if header == "Authorization" else key})

    assert answer.status_code == 200, answer.text


async def test_an_access_token_opens_for_its_team_and_leaves_the_name_of_its_client(site):
    ana = await site.person()
    token = await site.access_token(ana, "read", "write")
    agent = site.agent(Api(site.client, {}, api_key=token))

    me = await agent.ok("whoami")
    draft = await agent.ok("create_invoice", **invoice_body())

    assert (me["team"]["id"], me["role"], me["scopes"]) == (ana.team["id"], "owner", ["read", "write"])
    entry = next(one for one in await ana.get("/api/invoices/activity/feed") if one["entityId"] == draft["id"])
    assert (entry["channel"], entry["client"], entry["keyPrefix"]) == ("mcp", "An assistant", None)


async def test_an_access_token_is_for_bearer_and_for_mcp_only(site):
    ana = await site.person()
    token = await site.access_token(ana, "read")

    as_key = await post(site, {"x-api-key": token})
    for headers in ({"Authorization": f"Bearer {token}"}, {"x-api-key": token}):
        problem = await Api(site.client, headers).refused(401, "GET", "/api/clients")
        assert "/mcp only" in problem["detail"]

    assert_problem(as_key, 401, "UNAUTHENTICATED")
    assert as_key.headers["www-authenticate"] == BAD_TOKEN
    assert "Authorization: Bearer" in as_key.json()["remedy"]


async def test_an_access_token_for_another_resource_is_invalid(site):
    ana = await site.person()
    token = await site.access_token(ana, "read")
    async with site.kernel.database.transaction(None) as db:
        await db.execute(update(oauth_grant).values(resource="https://other.example/mcp"))

    answer = await post(site, {"Authorization": f"Bearer {token}"})

    assert_problem(answer, 401, "UNAUTHENTICATED")
    assert answer.headers["www-authenticate"] == BAD_TOKEN


@pytest.mark.parametrize("kind", ["key", "token"])
async def test_credentials_of_one_team_are_pinned_to_no_other(site, kind):
    ana = await site.person()
    credential = (await with_scoped_key(ana, "read")).api_key
    if kind == "token":
        credential = await site.access_token(ana, "read")
    other = await ana.post("/api/teams", {"name": "Otra", "country": "ES"})
    own = {"Authorization": f"Bearer {credential}"}

    assert (await post(site, {**own, "X-Team-Id": ana.team["id"].upper()})).status_code == 200
    for team in (other["id"], "nonsense"):
        assert_problem(await post(site, {**own, "X-Team-Id": team}), 403, "NOT_TEAM_MEMBER")


async def test_credentials_that_end_are_invalid_at_once(site):
    ana = await site.person()
    key = await ana.post("/api/keys", {"name": "Asistente", "scopes": ["read"]})
    await ana.delete(f"/api/keys/{key['id']}")

    answer = await post(site, {"Authorization": f"Bearer {key['key']}"})

    assert_problem(answer, 401, "UNAUTHENTICATED")
    assert answer.headers["www-authenticate"] == BAD_TOKEN
    assert "revoked" in answer.json()["detail"]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_sessions_are_refused_after_the_credentials(site, method):
    ana = await site.person()
    token = await site.access_token(ana, "read")

    known = await site.client.request(method, "/mcp", headers={"Authorization": f"Bearer {token}"})
    unknown = await site.client.request(method, "/mcp", headers={"Authorization": "Bearer lka_unknown"})

    assert_problem(known, 405, "METHOD_NOT_ALLOWED")
    assert_problem(unknown, 401, "UNAUTHENTICATED")


# ---------------------------------------------------------------- the step to more scopes


async def test_a_token_is_challenged_before_a_tool_beyond_its_scopes_runs(site):
    ana = await site.person()
    draft = await ana.invoice()
    token = await site.access_token(ana, "read", "write")

    answer = await send(site, token, tool_call("emit_einvoice", {"invoiceId": draft["id"]}))

    assert_asks_for(answer, "read write fiscal")
    assert answer.json()["requiredScope"] == "fiscal"
    assert "emit_einvoice" in answer.json()["detail"]
    assert await ana.get(f"/api/invoices/{draft['id']}") == draft


async def test_a_key_is_told_in_the_tools_result_since_it_can_ask_nobody(site):
    ana = await site.person()
    draft = await ana.invoice()
    key = (await with_scoped_key(ana, "read", "write")).api_key

    refused = await site.agent(Api(site.client, {}, api_key=key)).refused("emit_einvoice", invoiceId=draft["id"])

    assert (refused["code"], refused["requiredScope"]) == ("INSUFFICIENT_SCOPE", "fiscal")
    assert await ana.get(f"/api/invoices/{draft['id']}") == draft


async def test_the_challenge_names_all_scopes_that_are_needed(site):
    ana = await site.person()
    token = await site.access_token(ana, "team")

    assert_asks_for(await send(site, token, tool_call("whoami")), "read team")
    both = [tool_call("emit_einvoice"), tool_call("list_invoices", number=2)]
    assert_asks_for(await send(site, token, both), "read fiscal team")


async def test_an_escaped_name_is_the_same_tool(site):
    ana = await site.person()
    token = await site.access_token(ana, "read")
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools\\u002fcall", "params": {"name": "emit\\u005feinvoice"}}'
    headers = {**ACCEPT, "Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    answer = await site.client.post("/mcp", headers=headers, content=body)

    assert_asks_for(answer, "read fiscal")


@pytest.mark.parametrize(
    "body",
    [
        tool_call("no_such_tool"),
        {**CALL, "method": "tools/call"},
        {**CALL, "method": "tools/call", "params": {"name": 7}},
        {**CALL, "method": "tools/call", "params": ["emit_einvoice"]},
        [[[]]],
        7,
        [None],
    ],
)
async def test_what_calls_no_tool_is_the_protocols_matter(site, body):
    ana = await site.person()
    key = (await with_scoped_key(ana, "read")).api_key

    answer = await send(site, key, body)

    assert answer.status_code in {200, 400}, answer.text
    assert "www-authenticate" not in answer.headers


async def test_what_the_role_does_not_grant_is_a_result_and_no_challenge(site):
    ana = await site.person()
    vera = await site.colleague(ana, "viewer")
    vera.team = ana.team
    token = await site.access_token(vera, "read", "write")

    refused = await site.agent(Api(site.client, {}, api_key=token)).refused("create_invoice", **invoice_body())

    assert (refused["code"], "finance" in refused["requiredRoles"]) == ("FORBIDDEN_ROLE", True)


async def test_a_receipt_of_ten_megabytes_gets_through_the_look_at_the_tool(site):
    ana = await site.person()
    key = (await with_scoped_key(ana, "write")).api_key

    answer = await send(site, key, tool_call("scan_receipt", {"image": "x" * 13_900_000}))

    assert answer.status_code == 200
    assert "image" in answer.text


# ---------------------------------------------------------------- proxies and workers


@asynccontextmanager
async def worker(kernel, **settings):
    """One process of a server, behind a proxy that ends TLS and passes the Host on."""
    app = create_app(kernel.settings.model_copy(update=settings), kernel)
    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://facturas.example") as caller:
            yield caller


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "https://facturas.example"}, 200),
        ({"Origin": "https://facturas.example:443"}, 200),
        ({"Origin": "http://facturas.example"}, 403),
        ({"Origin": "https://facturas.example:444"}, 403),
        ({"Origin": "https://evil.example", "X-Forwarded-Host": "evil.example"}, 403),
        ({"Host": "evil.example", "X-Forwarded-Host": "facturas.example"}, 421),
    ],
)
async def test_the_public_address_is_the_known_one_behind_a_proxy(kernel, ana, headers, status):
    async with worker(kernel, base_url="https://facturas.example") as caller:
        answer = await caller.post("/mcp", headers={**ACCEPT, "x-api-key": ana.api_key, **headers}, json=CALL)

    assert answer.status_code == status, answer.text


async def test_one_worker_goes_on_where_another_began(kernel, ana):
    key = (await with_scoped_key(ana, "read")).api_key
    headers = {**ACCEPT, "x-api-key": key}
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}

    async with worker(kernel) as first, worker(kernel) as second:
        first.base_url = second.base_url = "http://127.0.0.1:8000"
        begun = await first.post("/mcp", headers=headers, json=begin)
        called = await second.post(
            "/mcp", headers={**headers, "MCP-Protocol-Version": "2025-06-18"}, json=tool_call("whoami")
        )

    assert (begun.status_code, called.status_code) == (200, 200)
    assert "mcp-session-id" not in begun.headers
    assert ana.email in called.text
