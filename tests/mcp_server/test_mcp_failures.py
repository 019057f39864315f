"""Outages, mistakes of ours, limits and restarts, in process."""

import logging
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
import structlog

from ledgerkit.app import create_app
from ledgerkit.core.platform.database.transactions import Database
from ledgerkit.core.platform.identity.limits.throttle import REQUESTS, Throttle
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Context, RequestMetadata
from ledgerkit.mcp_server import calls
from ledgerkit.mcp_server.shapes import Nothing
from ledgerkit.mcp_server.tools import TOOLS
from support.api import Api

BASE = "http://127.0.0.1:8000"
LISTING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"Accept": "application/json, text/event-stream"}
SOME_KEY = f"lk_live_{'0' * 32}_{'A' * 43}"


@asynccontextmanager
async def in_process(kernel):
    """A caller of both faces over one kernel, without what works in the background."""
    app = create_app(kernel.settings)
    app.state.kernel = kernel
    (endpoint,) = [route.endpoint for route in app.routes if getattr(route, "path", None) == "/mcp"]
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with endpoint.running(kernel), httpx2.AsyncClient(transport=transport, base_url=BASE) as caller:
        caller.app, caller.endpoint = app, endpoint
        yield caller


def told(body):
    return {name: value for name, value in body.items() if name not in {"instance", "requestId"}}


async def test_an_outage_of_the_database_is_the_same_problem(kernel, unused_tcp_port):
    lost = replace(kernel, database=Database(f"postgresql+asyncpg://x:x@127.0.0.1:{unused_tcp_port}/x"))
    lost = replace(lost, services={**lost.services, Authenticator: Authenticator(lost)})

    async with in_process(lost) as caller:
        by_rest = await caller.get("/api/invoices", headers={"x-api-key": SOME_KEY})
        by_agent = await caller.post("/mcp", headers={"x-api-key": SOME_KEY}, json=LISTING)

    assert (by_agent.status_code, by_agent.headers["retry-after"]) == (503, "5")
    assert told(by_agent.json()) == told(by_rest.json())


async def test_an_outage_within_a_tool_is_a_problem_with_a_remedy(kernel, ana, unused_tcp_port):
    actor = await kernel.service(Authenticator).by_key(ana.api_key)
    lost = replace(kernel, database=Database(f"postgresql+asyncpg://x:x@127.0.0.1:{unused_tcp_port}/x"))

    done = await calls.call(
        Context(kernel=lost, who=actor, request_metadata=RequestMetadata(request_id="r1")), "list_invoices", {}
    )

    assert done.is_error
    problem = done.structured_content
    assert (problem["code"], problem["requestId"]) == ("DATABASE_UNAVAILABLE", "r1")
    assert problem["remedy"]


async def test_a_mistake_of_ours_tells_nothing_but_is_logged(kernel, ana, monkeypatch):
    actor = await kernel.service(Authenticator).by_key(ana.api_key)

    async def fail(_ctx, _given):
        raise ZeroDivisionError("the secret inside")

    broken = replace(TOOLS["whoami"], run=fail, arguments=Nothing)
    monkeypatch.setattr(calls, "TOOLS", {"whoami": broken})

    with structlog.testing.capture_logs() as logged:
        async with in_process(kernel) as caller:
            caller.app.add_api_route("/broken", lambda: 1 / 0)
            by_rest = await caller.get("/broken")
        done = await calls.call(Context(kernel=kernel, who=actor), "whoami", {"detail": "full"})

    assert done.is_error
    assert told(done.structured_content) == told(by_rest.json())
    assert "secret" not in done.content[0].text
    told_log = [(line["event"], line["tool"], str(line["exc_info"])) for line in logged if "tool" in line]
    assert told_log == [("tool failed", "whoami", "the secret inside")]


async def test_a_full_disk_under_a_file_of_ours_is_the_same_problem_on_both_faces(kernel, ana, monkeypatch):
    def write() -> None:
        Path("/dev/full").write_text("more than nothing")

    actor = await kernel.service(Authenticator).by_key(ana.api_key)

    async def fail(_ctx, _given):
        write()

    monkeypatch.setattr(calls, "TOOLS", {"whoami": replace(TOOLS["whoami"], run=fail, arguments=Nothing)})

    async with in_process(kernel) as caller:
        caller.app.add_api_route("/broken", write)
        by_rest = await caller.get("/broken")
    done = await calls.call(Context(kernel=kernel, who=actor), "whoami", {"detail": "full"})

    assert (by_rest.status_code, by_rest.json()["code"]) == (507, "STORAGE_FULL")
    assert told(done.structured_content) == told(by_rest.json())


@pytest.mark.parametrize("name", ["delete_everything", "\ud800", ""])
async def test_an_unknown_tool_is_answered_with_the_known_ones(kernel, name):
    done = await calls.call(Context(kernel=kernel), name, {})

    assert done.is_error
    assert done.structured_content["code"] == "NOT_FOUND"
    assert "list_invoices" in done.structured_content["remedy"]


async def test_both_faces_spend_the_same_allowance(kernel, ana):
    throttle = Throttle(active=True)
    strict = replace(kernel, services={**kernel.services, Throttle: throttle})
    key = {"x-api-key": ana.api_key}

    async with in_process(strict) as caller:
        before = await caller.post("/mcp", headers={**ACCEPT, **key}, json=LISTING)
        for _ in range(REQUESTS.amount - 1):
            await throttle.spend(REQUESTS, ana.api_key[-32:])
        by_agent = await caller.post("/mcp", headers={**ACCEPT, **key}, json=LISTING)
        by_rest = await caller.get("/api/invoices", headers=key)

    assert (before.status_code, before.headers["ratelimit-remaining"]) == (200, str(REQUESTS.amount - 1))
    assert (by_agent.status_code, by_rest.status_code) == (429, 429)
    assert int(by_agent.headers["retry-after"]) > 0
    assert told(by_agent.json()) == told(by_rest.json())


async def test_the_endpoint_may_be_started_again(kernel, client):
    ana = await Api.register(client, "again@example.com")
    headers = {**ACCEPT, "x-api-key": ana.api_key}

    async with in_process(kernel) as caller:
        first = await caller.post("/mcp", headers=headers, json=LISTING)
    async with caller.endpoint.running(kernel):
        transport = httpx2.ASGITransport(caller.app)
        async with httpx2.AsyncClient(transport=transport, base_url=BASE) as again:
            second = await again.post("/mcp", headers=headers, json=LISTING)

    assert (first.status_code, second.status_code) == (200, 200)


async def test_the_protocol_leaves_the_logs_of_the_process_alone(kernel):
    before = logging.getLogger().handlers[:], logging.getLogger().level

    async with in_process(kernel):
        during = logging.getLogger().handlers[:], logging.getLogger().level

    assert during == before
    assert not [handler for handler in during[0] if type(handler).__module__.startswith("rich")]


@pytest.mark.parametrize("version", [None, "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_older_clients_are_answered_without_a_session(kernel, ana, version):
    headers = {**ACCEPT, "x-api-key": ana.api_key, **({"MCP-Protocol-Version": version} if version else {})}

    async with in_process(kernel) as caller:
        answer = await caller.post("/mcp", headers=headers, json=LISTING)

    assert answer.status_code == 200
    assert "mcp-session-id" not in answer.headers
    assert "create_invoice" in answer.text
