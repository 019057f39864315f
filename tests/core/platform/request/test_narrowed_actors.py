"""Credentials that cover less than the role grants are refused by the gate, on every channel, for the true reason."""

from dataclasses import replace

import httpx2
import pytest

from ledgerkit.app import create_app
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Channel, Context
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Permission, Role
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.api import ClientInput
from ledgerkit.problems import Code, Forbidden, OutOfScope
from support.api import Api, invoice_body
from support.eras import MODERN
from support.scopes import narrowed, with_scoped_key

READING = (Permission.ACCOUNT, Permission.CLIENTS_READ, Permission.INVOICES_READ)
NEW_CLIENT = {"name": "Talleres Norte, S.L."}


@pytest.fixture
async def owner(kernel, ana):
    return await kernel.service(Authenticator).by_key(ana.api_key)


def assert_is_about_the_scope(problem: dict[str, object], permission: Permission) -> None:
    assert (problem["status"], problem["code"]) == (403, "INSUFFICIENT_SCOPE")
    assert problem["requiredPermission"] == permission.value
    assert "requiredRoles" not in problem
    assert "role" not in " ".join(str(problem[name]) for name in ("title", "detail", "remedy")).lower()


@pytest.mark.parametrize("channel", Channel)
async def test_the_gate_refuses_what_the_credentials_do_not_cover(kernel, owner, channel):
    ctx = Context(kernel=kernel, who=replace(owner.narrowed(READING), channel=channel))

    with pytest.raises(OutOfScope) as refused:
        await clients.create(ctx, ClientInput(**NEW_CLIENT))

    assert_is_about_the_scope(refused.value.body(), Permission.CLIENTS_WRITE)
    assert_is_about_the_scope({**refused.value.body(language="es"), "remedy": ""}, Permission.CLIENTS_WRITE)
    assert "rol" not in refused.value.body(language="es")["detail"]


async def test_the_system_can_be_narrowed_too(kernel, ana):
    ctx = await accounts.system_context(kernel, ana.team["id"])

    with pytest.raises(OutOfScope):
        await clients.create(replace(ctx, who=ctx.actor.narrowed(READING)), ClientInput(**NEW_CLIENT))


@pytest.mark.parametrize("credential", ["x-api-key", "bearer key", "login"])
async def test_rest_refuses_what_the_credentials_do_not_cover(client, ana, credential):
    sent = {"x-api-key": {"x-api-key": ana.api_key}, "bearer key": {"Authorization": f"Bearer {ana.api_key}"}}
    caller = Api(client, sent.get(credential, ana.headers))
    app = client._transport.app
    app.state.kernel = narrowed(app.state.kernel, *READING)

    problem = await caller.refused(403, "POST", "/api/clients", NEW_CLIENT)

    assert_is_about_the_scope(problem, Permission.CLIENTS_WRITE)
    assert await caller.get("/api/clients") == []


async def test_mcp_refuses_what_the_credentials_do_not_cover(kernel, ana):
    key = (await with_scoped_key(ana, "read")).api_key
    app = create_app(kernel.settings, kernel)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=ana.client.base_url) as caller,
    ):
        refused = await call_tool(caller, key, "create_invoice", invoice_body())
        listed = await call_tool(caller, key, "list_invoices", {})

    problem = refused["result"]["structuredContent"]
    assert (problem["code"], problem["requiredScope"]) == ("INSUFFICIENT_SCOPE", "write")
    assert not listed["result"]["isError"]


async def call_tool(caller: httpx2.AsyncClient, key: str, name: str, arguments: dict[str, object]) -> dict[str, object]:
    meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": name, "arguments": arguments, "_meta": meta}
    headers = {"Authorization": f"Bearer {key}", "Accept": "application/json, text/event-stream"}
    headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": name}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = await caller.post("/mcp", json=call, headers=headers)
    return answer.json()


async def test_a_teams_key_is_shown_to_credentials_that_may_replace_it(client, ana):
    app = client._transport.app
    shown = (await ana.get("/api/teams/current"))["team"]["apiKey"]
    app.state.kernel = narrowed(app.state.kernel, *READING)

    assert shown == ana.team["apiKey"]
    assert (await ana.get("/api/teams/current"))["team"]["apiKey"] is None


async def test_areas_are_those_that_the_credentials_open(client, ana):
    app = client._transport.app
    app.state.kernel = narrowed(app.state.kernel, *READING)

    assert (await ana.get("/auth/me"))["modules"] == ["invoices", "clients", "mcp"]


async def test_narrowing_grants_nothing_and_adds_up(owner):
    viewer = replace(owner, role=Role.VIEWER, permissions=ROLE_PERMISSIONS[Role.VIEWER])

    assert viewer.narrowed(Permission).permissions == ROLE_PERMISSIONS[Role.VIEWER]
    assert owner.narrowed(READING).narrowed(Permission).permissions == set(READING)
    assert owner.narrowed(READING).narrowed([Permission.CLIENTS_READ]).permissions == {Permission.CLIENTS_READ}


async def test_what_the_role_does_not_grant_is_the_roles_matter(kernel, ana, owner):
    viewer = replace(owner, role=Role.VIEWER, permissions=ROLE_PERMISSIONS[Role.VIEWER])
    ctx = Context(kernel=kernel, who=viewer.narrowed([*READING, Permission.CLIENTS_WRITE]))

    with pytest.raises(Forbidden) as refused:
        await clients.create(ctx, ClientInput(**NEW_CLIENT))

    assert refused.value.code is Code.FORBIDDEN_ROLE
    assert "owner" in refused.value.extra["requiredRoles"]
