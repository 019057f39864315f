"""Real servers in directories of their own; whatever a test kills or forgets is ended afterwards."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from ledgerkit.embedded_postgres import EmbeddedPostgres
from ledgerkit.embedded_postgres.postmaster import end_earlier_run
from support.directories import open_directory

OWNER_PROCESS = Path(__file__).with_name("owner_process.py")


@pytest.fixture
def directory() -> Iterator[Path]:
    """A data directory that does not exist yet."""
    with open_directory() as parent:
        yield parent / "data"
        end_earlier_run(parent / "data" / "cluster")


@pytest.fixture(scope="session")
async def stopped_server():
    """A whole directory with a cluster that was stopped in order: making one takes most of a test's time."""
    with open_directory() as parent:
        embedded = EmbeddedPostgres(parent / "data", durable=False)
        await embedded.start()
        await embedded.stop()
        yield parent / "data"


@pytest.fixture
def lent_directory(stopped_server: Path) -> Iterator[Path]:
    """The lent directory, for tests that stop or kill its server but leave its files whole."""
    yield stopped_server
    end_earlier_run(stopped_server / "cluster")


@pytest.fixture
def used_directory(directory: Path, stopped_server: Path) -> Path:
    """`directory` with a copy of that cluster in it, owners and modes kept."""
    subprocess.run(["/bin/cp", "-Rp", stopped_server, directory], check=True)
    return directory


@pytest.fixture(scope="session")
async def server():
    """One running server for all tests that do no harm to it."""
    with open_directory() as parent:
        embedded = EmbeddedPostgres(parent / "data", durable=False)
        await embedded.start()
        yield embedded
        await embedded.stop()


@pytest.fixture
def eventually() -> Callable[[Callable[[], object]], Awaitable[None]]:
    """Waits until something is so; a test fails by TimeoutError when it is not within a minute."""

    async def true(condition: Callable[[], object]) -> None:
        async with asyncio.timeout(60):
            while True:
                if condition():
                    return
                await asyncio.sleep(0.01)

    return true


@pytest.fixture
def connect() -> Callable[..., Awaitable["asyncpg.Connection[asyncpg.Record]"]]:
    """Connects by the address as it is given to the rest of ledgerkit."""

    async def opened(url: str, **changed: object) -> "asyncpg.Connection[asyncpg.Record]":
        return await asyncpg.connect(url.replace("+asyncpg", ""), ssl=False, **changed)

    return opened


@pytest.fixture
def ask(connect) -> Callable[[str, str], Awaitable[Any]]:
    """One value from a database: `await ask(url, statement)`."""

    async def value(url: str, statement: str) -> Any:
        connection = await connect(url)
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    return value


@pytest.fixture
async def other_process(directory: Path):
    """Starts the server in a process of its own and returns it with what it said of itself."""
    started: list[subprocess.Popen[bytes]] = []

    def start_and_listen(*user: int) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
        process = subprocess.Popen(
            [sys.executable, OWNER_PROCESS, directory, *map(str, user)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        started.append(process)
        assert process.stdout is not None
        return process, json.loads(process.stdout.readline())

    async def start(*user: int) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
        return await asyncio.to_thread(start_and_listen, *user)

    yield start
    for process in started:
        process.kill()
        process.communicate()
