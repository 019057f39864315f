"""The idempotency key of a request is taken while its process lives and works on it, and no longer."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from ledgerkit.core.platform.request.presence import GRACE
from support.api import Api
from support.office import eventually, locked
from support.serving import Server, served

pytestmark = pytest.mark.whole

SECONDS = 15
"""Time within which the key of a dead process is free; a busy machine may take longer than it says."""

KEY = {"Idempotency-Key": "7f3c"}
BLOCKED = (
    "select count(*) from pg_stat_activity where datname = current_database() and application_name = 'ledgerkit'"
    " and wait_event_type = 'Lock'"
)

THROWN_OUT = (
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
    " and application_name like 'ledgerkit%'"
)


@asynccontextmanager
async def serving(url, directory) -> AsyncIterator[Server]:
    secret = "a secret of the tests, forty characters long"
    async with served(directory, DATABASE_URL=url, SECRET_KEY=secret) as server:
        yield server


@asynccontextmanager
async def calling(server: Server, like: Api | None = None) -> AsyncIterator[Api]:
    async with httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
        if like is None:
            yield await Api.with_team(client, "ana@example.com", "Ana", "12345678Z")
        else:
            yield Api(client, like.headers)


async def begun(owner, api: Api, draft) -> asyncio.Task[httpx2.Response]:
    """An emission that is under way, and cannot go on."""
    task = asyncio.create_task(emitted(api, draft))

    async def is_blocked() -> bool:
        return await owner.fetchval(BLOCKED) > 0

    await eventually(is_blocked)
    return task


async def emitted(api: Api, draft) -> httpx2.Response:
    return await api.request("POST", "/api/einvoice/emit", {"invoiceId": draft["id"]}, **KEY)


async def in_the_end(api: Api, draft) -> httpx2.Response:
    """The first answer that is no 409, to somebody who asks again when told to."""
    async with asyncio.timeout(4 * SECONDS):
        while (answer := await emitted(api, draft)).status_code == 409:
            assert answer.json()["code"] == "REQUEST_IN_FLIGHT"
            assert answer.json()["remedy"]
            assert 1 <= int(answer.headers["Retry-After"]) <= SECONDS
            await asyncio.sleep(int(answer.headers["Retry-After"]))
    return answer


async def test_the_key_of_a_killed_process_is_free_soon_after_the_next_one_is_ready(url, owner, tmp_path):
    async with serving(url, tmp_path / "first") as server, calling(server) as ana:
        draft = await ana.invoice()
        async with locked(url, "invoice_counter"):
            task = await begun(owner, ana, draft)
            await server.kill()
            await asyncio.wait([task])
            assert task.exception() is not None

    async with serving(url, tmp_path / "second") as server, calling(server, ana) as again:
        answer = await in_the_end(again, draft)

    assert answer.is_success, answer.text
    assert await owner.fetchval("select count(*) from fiscal_record") == 1


async def test_another_server_waits_for_a_process_that_lives_and_takes_over_from_one_that_died(url, owner, tmp_path):
    async with serving(url, tmp_path / "a") as first, serving(url, tmp_path / "b") as second, calling(first) as ana:
        draft = await ana.invoice()
        async with calling(second, ana) as there:
            async with locked(url, "invoice_counter"):
                task = await begun(owner, ana, draft)
                began = time.monotonic()
                while time.monotonic() < began + GRACE + 2:
                    answer = await emitted(there, draft)
                    assert (answer.status_code, answer.json()["code"]) == (409, "REQUEST_IN_FLIGHT")
                await first.kill()
                await asyncio.wait([task])

            answer = await in_the_end(there, draft)

    assert answer.is_success, answer.text
    assert await owner.fetchval("select count(*) from fiscal_record") == 1


async def test_another_body_is_another_conflict_while_the_first_is_in_flight(url, owner, tmp_path):
    async with serving(url, tmp_path / "data") as server, calling(server) as ana:
        draft, other = await ana.invoice(), await ana.invoice()
        async with locked(url, "invoice_counter"):
            task = await begun(owner, ana, draft)
            refused = await emitted(ana, other)
        assert (await task).is_success

    assert (refused.status_code, refused.json()["code"]) == (409, "IDEMPOTENCY_CONFLICT")


async def test_a_key_that_could_not_be_given_back_is_free_when_the_database_is_there_again(url, owner, tmp_path):
    """PostgreSQL lets nobody in while the request fails, so its process cannot free the key."""
    name = await owner.fetchval("select current_database()")
    async with serving(url, tmp_path / "data") as server, calling(server) as ana:
        draft = await ana.invoice()
        async with locked(url, "invoice_counter"):
            task = await begun(owner, ana, draft)
            await owner.execute(f"alter database {name} connection limit 0")
            await owner.execute(THROWN_OUT)
            assert (await task).status_code == 503
            assert await owner.fetchval("select count(*) from idempotency_key where finished_at is null") == 1
        await owner.execute(f"alter database {name} connection limit -1")
        await server.ready()

        answer = await emitted(ana, draft)

    assert answer.is_success, answer.text
