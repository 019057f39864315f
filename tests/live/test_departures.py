"""A caller who leaves takes the work for the answer along: the statement stops, its transaction ends."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import urlsplit

import httpx2
import pytest

from support.api import CLIENT, Api
from support.office import eventually, locked
from support.serving import Server, served

pytestmark = pytest.mark.whole

BUSY = (
    "select count(*) from pg_stat_activity where datname = current_database() and application_name = 'ledgerkit'"
    " and state <> 'idle' and (wait_event_type = 'Lock' or state like 'idle in transaction%')"
)


When = Callable[[], Awaitable[bool]]


@pytest.fixture
async def server(url, tmp_path) -> AsyncIterator[Server]:
    async with served(tmp_path / "data", DATABASE_URL=url) as running:
        yield running


@pytest.fixture
async def ana(server) -> AsyncIterator[Api]:
    async with httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
        yield await Api.with_team(client, "ana@example.com", "Ana", "12345678Z")


async def left(server: Server, api: Api, line: str, body: object = None, *, when: When, **headers: str) -> None:
    """Ask, and leave as soon as PostgreSQL is at work: `when`."""
    sent = b"" if body is None else json.dumps(body).encode()
    fields = {
        "Host": "localhost",
        "x-api-key": api.api_key,
        "Content-Type": "application/json",
        "Content-Length": str(len(sent)),
        **headers,
    }
    head = "\r\n".join([f"{line} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""])
    address = urlsplit(server.url)
    _, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(head.encode() + sent)
    await eventually(when)
    writer.close()


async def is_busy(owner) -> bool:
    return await owner.fetchval(BUSY) > 0


async def ended(owner) -> None:
    async def is_idle() -> bool:
        return not await is_busy(owner)

    await eventually(is_idle)  # the lock is held all the while: nothing else ends it


async def waits(owner) -> bool:
    """A statement waits for a lock: work that has several transactions is idle between them."""
    return await owner.fetchval(f"{BUSY} and wait_event_type = 'Lock'") > 0


async def goes_on(owner) -> bool:
    return not await waits(owner)


async def test_what_somebody_wanted_to_read_is_not_looked_for_any_more(url, server, ana, owner):
    async with locked(url, "client"):
        await left(server, ana, "GET /api/clients", when=lambda: is_busy(owner))
        await ended(owner)

    assert await ana.get("/api/clients") == []
    assert "Traceback" not in server.said


async def test_what_somebody_wanted_to_store_is_rolled_back_and_its_key_is_free(url, server, ana, owner):
    key = {"Idempotency-Key": "7f3c"}
    async with locked(url, "activity"):
        await left(server, ana, "POST /api/clients", CLIENT, when=lambda: is_busy(owner), **key)
        await ended(owner)

        assert await owner.fetchval("select count(*) from client") == 0

    made = await ana.request("POST", "/api/clients", CLIENT, **key)
    assert (made.status_code, "idempotent-replayed" in made.headers) == (201, False)
    assert "Traceback" not in server.said


async def test_what_others_may_have_heard_of_goes_on_to_its_end(url, server, ana, owner):
    draft = await ana.invoice()
    async with locked(url, "invoice_counter"):
        await left(server, ana, "POST /api/einvoice/emit", {"invoiceId": draft["id"]}, when=lambda: is_busy(owner))
        with pytest.raises(TimeoutError):
            await eventually(lambda: answered(ana, draft), seconds=1)
        assert await is_busy(owner)

    await eventually(lambda: answered(ana, draft))


async def test_what_commits_by_itself_under_a_key_goes_on_and_the_key_answers_it(url, server, ana, owner):
    key, declared = {"Idempotency-Key": "7f3d"}, {"country": "ES", "year": 2026, "period": "Q1", "form": "303"}
    async with locked(url, "activity"):
        await left(server, ana, "POST /api/tax-declarations/generate", declared, when=lambda: waits(owner), **key)
        with pytest.raises(TimeoutError):
            await eventually(lambda: goes_on(owner), seconds=1)

    async def repeated() -> bool:
        answer = await ana.request("POST", "/api/tax-declarations/generate", declared, **key)
        return answer.is_success and "idempotent-replayed" in answer.headers

    await eventually(repeated)
    assert await owner.fetchval("select count(*) from tax_declaration") == 1
    assert "Traceback" not in server.said


async def answered(api: Api, draft) -> bool:
    found = await api.get(f"/api/invoices/{draft['id']}")
    return found["number"] is not None
