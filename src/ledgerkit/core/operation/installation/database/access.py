"""Choose the database of a process: the configured one, or a PostgreSQL of our own where none is configured.

Only this module knows who runs that one. Without a supervisor a database has to be configured (docs/adr/0049).
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Protocol

from ledgerkit import embedded_postgres
from ledgerkit.core.operation.installation.database.setup import Access
from ledgerkit.core.platform.database.readiness import SupervisedServer
from ledgerkit.settings import Settings, kept_secret_key, secret_key
from ledgerkit.settings.messages import ServerMsg
from ledgerkit.settings.start_errors import Misconfigured


class OwnServer(SupervisedServer, Protocol):
    """A PostgreSQL that this process runs. What fails is a StartError."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def urls(self) -> tuple[str, str]:
        """Return the addresses of its database: as the owner, and as the role that the server works as."""
        ...


class Supervisor(Protocol):
    """Functions about PostgreSQL servers of our own, each in a directory: a module. What fails is a StartError."""

    def server_in(self, directory: Path, *, durable: bool = True) -> OwnServer:
        """Return the server of a directory, not started; one that is not `durable` is for a moment only."""
        ...

    def running_urls(self, directory: Path) -> tuple[str, str] | None:
        """Return `OwnServer.urls` of the server that another process runs; None when none runs."""
        ...

    def has_cluster(self, directory: Path) -> bool:
        """Return True when a server was ever started in the directory."""
        ...

    def lends_account(self, directory: Path) -> bool:
        """Return True when its server runs as another user, who has to walk through to the directory."""
        ...


SUPERVISOR: Supervisor | None = embedded_postgres


async def served_database(stack: AsyncExitStack, settings: Settings) -> tuple[Access, OwnServer | None]:
    """Return the configured PostgreSQL, else our own, which is started here until `stack` ends. Raises StartError."""
    configured = _configured_database(settings)
    if configured is not None:
        return configured, None
    server = _supervisor().server_in(_directory(settings))
    await server.start()
    stack.push_async_callback(server.stop)
    return _of_own_server(server.urls()), server


async def own_database(stack: AsyncExitStack, settings: Settings) -> Access:
    """Return the database like `served_database`, for whoever does not watch its server."""
    access, _ = await served_database(stack, settings)
    return access


async def any_database(stack: AsyncExitStack, settings: Settings) -> Access:
    """Return the configured PostgreSQL, else our own: the one that another process runs, or one started here."""
    running = _running_database(settings) if _configured_database(settings) is None else None
    return await own_database(stack, settings) if running is None else running


async def existing_database(stack: AsyncExitStack, settings: Settings) -> Access | None:
    """Return the database like `any_database`, but None where our own was never made; makes no secret key."""
    configured = _configured_database(settings, kept_secret_key(settings) or b"")
    if configured is not None:
        return configured
    return await any_database(stack, settings) if has_own_cluster(settings) else None


def shared_database(settings: Settings) -> Access:
    """Return the configured PostgreSQL, or our own that a running `serve` has started. Raises StartError."""
    shared = _configured_database(settings) or _running_database(settings)
    if shared is None:
        raise Misconfigured(ServerMsg.NO_POSTGRESQL)
    return shared


def is_running(settings: Settings) -> bool:
    """Return True when another process runs a PostgreSQL of our own here. Raises StartError."""
    return _running_database(settings) is not None


@asynccontextmanager
async def throwaway_database(directory: Path) -> AsyncIterator[str]:
    """Yield the owner's address of an empty database, whose server lives in `directory` until the block ends."""
    server = _supervisor().server_in(directory, durable=False)
    await server.start()
    try:
        yield server.urls()[0]
    finally:
        await server.stop()


def has_own_cluster(settings: Settings) -> bool:
    """Return True when a PostgreSQL of our own was ever started here. Raises StartError."""
    return _supervisor().has_cluster(_directory(settings))


def lends_account(data_dir: Path) -> bool:
    """Return True when our PostgreSQL runs as another user, who has to walk through `data_dir` to its files."""
    return SUPERVISOR is not None and SUPERVISOR.lends_account(data_dir / _POSTGRES)


def _supervisor() -> Supervisor:
    if SUPERVISOR is None:
        raise Misconfigured(ServerMsg.NO_POSTGRESQL)
    return SUPERVISOR


def _configured_database(settings: Settings, secret: bytes | None = None) -> Access | None:
    owner, app = settings.database_url, settings.database_app_url
    if owner is None and app is None:
        return None
    return Access(
        owner=owner.get_secret_value() if owner else None,
        app=app.get_secret_value() if app else None,
        secret=secret_key(settings) if secret is None else secret,
    )


def _running_database(settings: Settings) -> Access | None:
    running = None if SUPERVISOR is None else SUPERVISOR.running_urls(_directory(settings))
    return None if running is None else _of_own_server(running)


def _of_own_server(urls: tuple[str, str]) -> Access:
    owner, app = urls
    return Access(owner=owner, app=app, renews_password=True)


def _directory(settings: Settings) -> Path:
    return settings.data_dir / _POSTGRES


_POSTGRES = "postgres"
"""Folder of our own PostgreSQL in the data directory."""
