import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from ledgerkit.core.platform.database.targets import connected
from ledgerkit.core.platform.database.transactions import Database, Pooling
from ledgerkit.core.platform.jobs import Jobs, Pace, Worker, enqueue
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.embedded_postgres import EmbeddedPostgres, Urls
from ledgerkit.providers.registry import Registry
from ledgerkit.settings import Settings
from support.migrated_cluster import TEMPLATE, migrated_server

PATIENCE = 60
"""Seconds until something that should have happened by now counts as not happening."""

QUICK = Pace(poll=0.02, attempts=3, first_pause=0.05, longest_pause=0.2, grace=1)
"""With the usual lease: a machine that stands still for seconds does not make a job another worker's."""


class Queue:
    """One database with the queue's tables, and the application's way into it."""

    pace = QUICK

    def __init__(self, urls: Urls) -> None:
        self.url = urls.app
        self.database = Database(urls.app, Pooling(size=4))
        self._owner = urls.owner
        kernel = Kernel(settings=Settings(), secret=b"", database=self.database, countries=Registry())
        self.context = Context(kernel=kernel)

    async def put(self, name: str, payload: Mapping[str, object] | None = None, **options: Any) -> None:
        async with self.context.transaction() as ctx:
            await enqueue(ctx, name, payload or {}, **options)

    async def all(self, query: str = "select * from job order by id", **values: Any) -> list[Mapping[str, Any]]:
        async with self.database.transaction(None) as connection:
            return list((await connection.execute(text(query), values)).mappings().all())

    async def change(self, statement: str, **values: Any) -> None:
        async with self.database.transaction(None) as connection:
            await connection.execute(text(statement), values)

    async def as_owner(self, statement: str) -> None:
        async with connected(self._owner) as connection:
            await connection.execute(statement)

    async def eventually(self, query: str, **values: Any) -> None:
        """Wait until `query` finds a row."""
        async with asyncio.timeout(PATIENCE):
            while not await self.all(query, **values):  # noqa: ASYNC110 - the database cannot set an event
                await asyncio.sleep(0.01)

    async def drained(self) -> None:
        await self.eventually("select 1 where not exists (select from job where failed_at is null)")

    @asynccontextmanager
    async def worker(self, jobs: Jobs, pace: Pace = QUICK) -> AsyncIterator[Worker]:
        worker = Worker(self.url, jobs, pace)
        await worker.start()
        try:
            yield worker
        finally:
            await worker.stop()


@pytest.fixture(scope="session")
async def jobs_server(cluster_cache: Path) -> AsyncIterator[EmbeddedPostgres]:
    kept_by_a_killed_server = {"synchronous_commit": "on"}
    async with migrated_server(cluster_cache, kept_by_a_killed_server) as server:
        yield server


@pytest.fixture(scope="session")
async def jobs_database(jobs_server: EmbeddedPostgres) -> AsyncIterator[Queue]:
    await jobs_server.clone(TEMPLATE, "jobs")
    queue = Queue(jobs_server.urls("jobs"))
    yield queue
    await queue.database.close()


@pytest.fixture
async def queue(jobs_database: Queue) -> Queue:
    """An empty queue."""
    await jobs_database.as_owner("truncate job, job_schedule")
    return jobs_database
