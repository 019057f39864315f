"""Metrics of a real server as Prometheus reads them: requests, operations, jobs, connections and backlog."""

from contextlib import suppress

import httpx2
import pytest

from support.api import Api
from support.commands import ledgerkit
from support.eras import MODERN
from support.office import cloned, eventually, nif
from support.ports import free_port
from support.scraping import scraped
from support.serving import served

UNAVAILABLE = 69


class Site:
    def __init__(self, client: httpx2.AsyncClient, port: int) -> None:
        self.client = client
        self.port = port

    async def value(self, name, **labels):
        return (await scraped(self.port)).value(name, **labels)

    async def counted(self, wanted, name, **labels):
        """The value, which may be counted a moment after the answer; the last one seen where it stays another."""
        seen = []

        async def is_counted():
            seen.append(await self.value(name, **labels))
            return seen[-1] == wanted

        with suppress(TimeoutError):
            await eventually(is_counted, seconds=20)
        return seen[-1]


@pytest.fixture(scope="module")
async def site(postgres, tmp_path_factory):
    directory, port = tmp_path_factory.mktemp("watched"), free_port()
    async with (
        cloned(postgres) as url,
        served(directory / "data", DATABASE_URL=url, METRICS_PORT=str(port)) as server,
        httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
    ):
        yield Site(client, port)


@pytest.fixture(scope="module")
async def ana(site):
    return await Api.with_team(site.client, "ana@example.com", "Ana Ruiz", nif(20_000_101))


async def test_requests_are_counted_by_the_template_of_their_route(site, ana):
    invoice = await ana.invoice()
    for _ in range(2):
        await ana.get(f"/api/invoices/{invoice['id']}")
    await ana.refused(404, "GET", f"/api/invoices/{ana.team['id']}")

    route = {"method": "GET", "route": "/api/invoices/{id}"}

    assert await site.counted(2, "ledgerkit_http_requests_total", **route, status="200") == 2
    assert await site.counted(1, "ledgerkit_http_requests_total", **route, status="404") == 1
    assert await site.counted(3, "ledgerkit_http_request_duration_seconds_count", **route) == 3


async def test_a_head_counts_as_the_get_that_it_is_answered_by(site, ana):
    await site.client.head("/api/tasks/some-id", headers=ana.headers)

    route = {"method": "GET", "route": "/api/tasks/{id}"}

    assert await site.counted(1, "ledgerkit_http_requests_total", **route, status="404") == 1


async def test_no_label_is_what_a_caller_invents_or_owns(site, ana):
    invoice = await ana.invoice()
    shared = await ana.post(f"/api/invoices/{invoice['id']}/share")
    token = shared["shareToken"]
    await site.client.get(f"/s/{token}")
    await site.client.request("PROPFIND", "/coffee-of-a-stranger")

    assert await site.counted(1, "ledgerkit_http_requests_total", route="none", method="other") == 1
    page = await scraped(site.port)

    for secret in (token, invoice["id"], ana.email, ana.team["id"], "coffee", "PROPFIND"):
        assert secret not in page.text
    assert page.value("ledgerkit_http_requests_total", route="/s/{token}", status="200") == 1


async def ask_assistant(site, api, tool):
    """Have an assistant call a tool without arguments."""
    meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": tool, "arguments": {}, "_meta": meta}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": MODERN}
    headers |= {"Mcp-Method": "tools/call", "Mcp-Name": tool, "x-api-key": api.api_key}
    answer = await site.client.post(
        "/mcp", headers=headers, json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    )
    assert not answer.json()["result"]["isError"], answer.text


async def test_what_assistants_do_is_told_from_what_programs_do(site, ana):
    await ana.get("/api/invoices")
    await ask_assistant(site, ana, "list_invoices")

    listing = {"operation": "invoices.listing", "outcome": "done"}

    assert await site.value("ledgerkit_operations_total", channel="mcp", **listing) == 1
    assert await site.value("ledgerkit_operations_total", channel="api", **listing) == 1


async def test_what_is_refused_is_told_from_what_is_done(site, ana):
    await ana.refused(400, "PUT", "/api/einvoice/certificate", {"file": "bm9uZQ=="})

    refused = {"operation": "einvoice.certificates.upload", "channel": "api", "outcome": "refused"}

    assert await site.value("ledgerkit_operations_total", **refused) == 1


async def test_jobs_are_counted_with_how_they_ended_and_how_long_they_took(site, ana):
    await site.client.post("/auth/password/forgot", json={"email": ana.email})

    async def ran():
        return await site.value("ledgerkit_jobs_total", job="mail-person", outcome="done")

    await eventually(ran)

    assert await site.value("ledgerkit_jobs_total", job="mail-person") == 1
    assert await site.value("ledgerkit_job_duration_seconds_count", job="mail-person") == 1


async def test_connections_and_the_database_are_told(site):
    page = await scraped(site.port)

    assert page.value("ledgerkit_database_up") == 1
    assert page.value("ledgerkit_pool_size", pool="writing") == 20
    assert page.value("ledgerkit_pool_waiting", pool="writing") == 0
    assert page.value("process_resident_memory_bytes") > 0


async def test_the_public_port_has_no_metrics(site):
    assert (await site.client.get("/metrics")).status_code == 404


async def test_a_port_that_is_taken_is_said_before_the_database_starts(tmp_path, site):
    ended = await ledgerkit(tmp_path / "data", "serve", PORT=str(free_port()), METRICS_PORT=str(site.port))

    assert ended.code == UNAVAILABLE
    assert f"Port {site.port} of 127.0.0.1 is in use" in ended.err
    assert "LEDGERKIT_METRICS_PORT" in ended.err
    assert not (tmp_path / "data" / "postgres").exists()
