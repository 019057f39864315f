"""Connections: none is handed out that PostgreSQL closed, none is lost, and no account takes them all."""

import asyncio
from contextlib import AsyncExitStack
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from ledgerkit.core.platform.database.statements import driver
from ledgerkit.core.platform.database.transactions import Database, Pooling, retry_on_conflict, snapshot
from ledgerkit.problems import Unavailable

BACKEND = text("select pg_backend_pid()")


@pytest.fixture
async def pooled(fresh_url):
    made = Database(fresh_url, Pooling(size=5, wait_seconds=0.2))
    yield made
    await made.close()


async def backend(database) -> int:
    async with database.transaction(None) as connection:
        return (await connection.execute(BACKEND)).scalar_one()


async def test_a_connection_is_used_again(pooled):
    assert await backend(pooled) == await backend(pooled)


async def terminate(database, pid: int) -> None:
    async with database.engine.connect() as owner:
        await owner.execute(text("select pg_terminate_backend(:pid, 60000)"), {"pid": pid})


async def test_a_connection_that_postgresql_closed_is_not_handed_out(pooled):
    first = await backend(pooled)

    await terminate(pooled, first)

    assert await backend(pooled) != first


async def test_a_connection_that_broke_in_the_middle_is_replaced(pooled):
    first = await backend(pooled)

    async def breaks() -> None:
        async with pooled.transaction(None) as connection:
            await terminate(pooled, (await connection.execute(BACKEND)).scalar_one())
            await connection.execute(BACKEND)

    with pytest.raises(Unavailable):
        await retry_on_conflict(breaks)

    assert await backend(pooled) != first


async def test_a_cancelled_block_gives_its_connection_back_clean(pooled):
    entered = asyncio.Event()

    async def sleeper() -> None:
        async with pooled.transaction(None) as connection:
            entered.set()
            await connection.execute(text("select pg_sleep(30)"))

    for _ in range(7):  # more than there are
        entered.clear()
        task = asyncio.create_task(sleeper())
        await entered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert await backend(pooled)


async def test_what_is_cancelled_while_it_begins_leaves_no_transaction_open(fresh_url):
    only = Database(fresh_url, Pooling(size=1))
    await backend(only)
    for turns in range(200):
        task = asyncio.create_task(backend(only))
        for _ in range(turns % 10):  # from before the first statement to after the last
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        async with only.writers.taken() as connection:
            assert not driver(connection).is_in_transaction()
    await only.close()


async def test_a_snapshot_that_is_cancelled_while_it_begins_leaves_no_mark(fresh_url):
    only = Database(fresh_url, Pooling(size=1))
    account = uuid4()

    async def look() -> int:
        async with only.reading(account) as connection, snapshot(connection):
            return (await connection.execute(BACKEND)).scalar_one()

    await asyncio.gather(look(), look())  # both connections that readers have
    for turns in range(100):
        tasks = [asyncio.create_task(look()) for _ in range(2)]
        for _ in range(turns % 10):
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert all(await asyncio.gather(look(), look()))
    await only.close()


async def test_an_error_within_a_snapshot_ends_it(pooled):
    async with pooled.reading(uuid4()) as connection:
        with pytest.raises(DBAPIError):
            async with snapshot(connection):
                await connection.execute(text("select 1 / 0"))
        assert (await connection.execute(text("select true"))).scalar_one()


async def test_one_account_never_takes_all(pooled):
    crowd, other = uuid4(), uuid4()
    async with AsyncExitStack() as held:
        for _ in range(2):
            await held.enter_async_context(pooled.transaction(crowd))
        with pytest.raises(TimeoutError):
            async with pooled.transaction(crowd):
                pass
        async with pooled.transaction(other) as connection:
            assert (await connection.execute(text("select true"))).scalar_one()

    async with pooled.transaction(crowd) as connection:
        assert (await connection.execute(text("select true"))).scalar_one()


async def test_a_caller_without_a_free_connection_is_told_that_the_server_is_busy(pooled):
    async with AsyncExitStack() as held:
        for _ in range(5):
            await held.enter_async_context(pooled.transaction(None))
        with pytest.raises(Unavailable):
            await retry_on_conflict(lambda: backend(pooled))
