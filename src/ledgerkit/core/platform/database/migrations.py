"""Bring a database to this version's tables, one process at a time; always as the role that owns them."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from ledgerkit.core.platform.database.targets import UNHURRIED, connect
from ledgerkit.core.platform.database.texts import DatabaseMsg
from ledgerkit.settings.start_errors import Misconfigured, Unreachable
from ledgerkit.texts.common import CommonMsg

_LOCK = 7_309_221_504
"""Any number that is only ours: two processes that start together migrate one after the other."""

_LOCK_NOT_AVAILABLE = "55P03"

HEAD = "head"

OLDEST = "0058"
"""Revision of the oldest tables that a migration goes on from. Those before it were squashed (docs/adr/0044)."""


class MigrationError(Misconfigured):
    """The database cannot be brought to this version; the text says what to do."""


def scripts() -> Path:
    """The migrations: beside the package in the wheel, at the top of a working copy."""
    package = Path(__file__).parents[3]
    installed = package / "migrations"
    return installed if installed.is_dir() else package.parents[1] / "migrations"


async def upgrade(url: str) -> None:
    """Apply what is missing."""
    async with alone(url) as connection:
        await upgrade_on(connection)


async def check(url: str) -> None:
    """Compare the tables of the code with those of the migrations. Raises MigrationError when they differ."""
    async with alone(url) as connection:
        await _run(connection, command.check)


@asynccontextmanager
async def alone(url: str) -> AsyncIterator[AsyncConnection]:
    """A connection as the owner; other processes that want to migrate this database wait until the block ends."""

    async def opened() -> "asyncpg.Connection[Any]":
        return await connect(url, UNHURRIED, server_settings={"application_name": "ledgerkit migrate"})

    engine = create_async_engine("postgresql+asyncpg://", async_creator=opened, poolclass=NullPool)
    try:
        async with engine.connect() as connection:
            await connection.execute(text(f"select pg_advisory_lock({_LOCK})"))
            await connection.commit()
            yield connection
            await connection.execute(text(f"select pg_advisory_unlock({_LOCK})"))
            await connection.commit()
    finally:
        await engine.dispose()


@asynccontextmanager
async def alone_in_one_transaction(url: str) -> AsyncIterator[AsyncConnection]:
    """Open one transaction that stores everything in the block or nothing, also statements that bypass SQLAlchemy."""
    async with alone(url) as connection, connection.begin():
        await connection.execute(text("select"))  # SQLAlchemy begins with the first statement that it knows of
        yield connection


async def upgrade_on(connection: AsyncConnection, revision: str = HEAD) -> None:
    """Upgrade to `revision`, within the connection's transaction when it is in one."""
    await _run(connection, lambda config: command.upgrade(config, revision))


def head() -> str:
    """The revision of this version's tables."""
    return str(ScriptDirectory(str(scripts())).get_current_head())


def knows(revision: str) -> bool:
    """Return True when this version has the migration `revision`."""
    return any(script.revision == revision for script in ScriptDirectory(str(scripts())).walk_revisions())


async def revision_of(connection: "asyncpg.Connection[Any]") -> str | None:
    """The revision of the existing tables; None if there are none, or none that the role may see."""
    try:
        revision: str | None = await connection.fetchval("select version_num from public.alembic_version")
    except (asyncpg.UndefinedTableError, asyncpg.InsufficientPrivilegeError):
        return None
    return revision


def is_squashed(revision: str) -> bool:
    """Return True for a revision before `OLDEST`; an earlier ledgerkit has to migrate it first."""
    return revision < OLDEST


def require_known(revision: str | None) -> None:
    """Raise MigrationError when a newer ledgerkit has made the tables, or one from before the oldest migration."""
    if revision is None or knows(revision):
        return
    if is_squashed(revision):
        raise MigrationError(DatabaseMsg.TABLES_OF_EARLIER_VERSION, revision=revision, oldest=OLDEST)
    raise MigrationError(DatabaseMsg.TABLES_OF_NEWER_VERSION, revision=revision)


async def require_head(app: "asyncpg.Connection[Any]") -> None:
    """Raise MigrationError when the tables are not those of this version; for a role that may not migrate."""
    revision = await revision_of(app)
    if revision != head():
        raise MigrationError(DatabaseMsg.MIGRATION_NEEDED, found=revision or CommonMsg.NONE, head=head())


async def _run(connection: AsyncConnection, work: Callable[[Config], object]) -> None:
    try:
        await connection.run_sync(_alembic, work)
    except CommandError as error:
        raise MigrationError(DatabaseMsg.MIGRATION_FAILED, error=error) from error
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
            raise Unreachable(DatabaseMsg.TABLE_LOCKED) from error
        raise


def _alembic(connection: Connection, work: Callable[[Config], object]) -> None:
    config = Config()
    config.set_main_option("script_location", str(scripts()).replace("%", "%%"))
    config.attributes["connection"] = connection
    work(config)
