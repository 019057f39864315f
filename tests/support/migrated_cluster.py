"""A migrated PostgreSQL, copied from a cluster that is made once for each state of the migrations.

Making one takes two seconds, which was most of the time of `make test ARGS="-k one_test"`.
"""

import asyncio
import fcntl
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

import ledgerkit.core.platform.database
from ledgerkit.core.operation.installation.database.setup import Access, prepare
from ledgerkit.core.platform.database.migrations import scripts
from ledgerkit.embedded_postgres import EmbeddedPostgres
from ledgerkit.embedded_postgres.binaries import find_binaries
from support.directories import open_directory

TEMPLATE = "template_ledgerkit"
"""A database that nobody is connected to, to be cloned."""

SHORT_LIVED = {"autovacuum": "off", "max_connections": "500", "max_wal_senders": "0", "wal_level": "minimal"}
"""Settings of servers whose databases last for a test: nobody vacuums, copies or archives them."""


class Shared:
    """The server of all workers; None where the tests run in one process."""

    server: EmbeddedPostgres | None = None


@contextmanager
def shared_server(config: pytest.Config) -> Iterator[None]:
    """A server for the processes that are forked meanwhile: each makes databases of its own in it."""
    loop = asyncio.new_event_loop()
    serving = migrated_server(cache_of(config))
    Shared.server = loop.run_until_complete(serving.__aenter__())
    try:
        yield
    finally:
        loop.run_until_complete(serving.__aexit__(None, None, None))
        loop.close()


def cache_of(config: pytest.Config) -> Path:
    """The place of the cluster that is copied; without pytest's cache it lasts as long as the run."""
    cache: pytest.Cache | None = getattr(config, "cache", None)
    return cache.mkdir("ledgerkit-cluster") if cache else config._tmp_path_factory.mktemp("cluster")


@asynccontextmanager
async def migrated_server(cache: Path, settings: Mapping[str, str] | None = None) -> AsyncIterator[EmbeddedPostgres]:
    """A server on a copy of the cluster in `cache`, with `TEMPLATE`; the copy is deleted at the end.

    The template is prepared as at every start of ledgerkit, so the application's rights are those of the code.
    """
    with open_directory() as parent:
        directory = parent / "data"
        with _locked(cache):
            await _ensure_made(cache)
            _copy(cache / "cluster", directory)
        server = EmbeddedPostgres(directory, settings={**SHORT_LIVED, **(settings or {})}, durable=False)
        await server.start()
        try:
            await _prepare_template(server)
            yield server
        finally:
            await server.stop()


def sources() -> tuple[Path, Path]:
    """Folders of the code that makes a cluster: the migrations and our ways to make databases."""
    return scripts(), Path(ledgerkit.core.platform.database.__path__[0])


def current_state() -> str:
    """Changes with whatever a cluster is made of: programs, account and code."""
    files = [path for folder in sources() for path in _modules(folder)]
    digests = [f"{path.name} {sha256(path.read_bytes()).hexdigest()}" for path in files]
    return "\n".join([find_binaries().release, str(os.geteuid()), *digests])


def _modules(folder: Path) -> list[Path]:
    """Python files in an order that does not depend on where the folder lies."""
    return sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).parts)


@contextmanager
def _locked(cache: Path) -> Iterator[None]:
    """One process at a time; the others wait."""
    with (cache / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


async def _ensure_made(cache: Path) -> None:
    """Leave in `cache` a stopped cluster of these migrations, in place of an older one."""
    state, original = cache / "state", cache / "cluster"
    if state.exists() and state.read_text() == current_state():
        return
    state.unlink(missing_ok=True)
    shutil.rmtree(original, ignore_errors=True)
    with open_directory() as parent:
        directory = parent / "data"
        server = EmbeddedPostgres(directory, durable=False)
        await server.start()
        await server.create_database(TEMPLATE)
        await _prepare_template(server)
        await server.stop()
        _copy(directory, original)
    state.write_text(current_state())


async def _prepare_template(server: EmbeddedPostgres) -> None:
    await prepare(Access(*server.urls(TEMPLATE), renews_password=True))


def _copy(source: Path, target: Path) -> None:
    """Copy a directory with its owners and modes."""
    subprocess.run(["/bin/cp", "-Rp", source, target], check=True)
