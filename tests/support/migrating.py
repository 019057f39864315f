"""A database of its own at any revision, and its way to another one."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from ledgerkit.core.database import migrating
from ledgerkit.core.database.postgres import EmbeddedPostgres

Step = Callable[[Config, str], Any]


@asynccontextmanager
async def at_revision(server: EmbeddedPostgres, revision: str) -> AsyncIterator[AsyncConnection]:
    """A connection of the owner to a new database with the tables of `revision`; it is dropped in the end."""
    name = f"at_{revision}_{uuid4().hex}"
    await server.create_database(name)
    engine = create_async_engine(server.url(name), poolclass=NullPool)
    async with engine.connect() as connection:
        await move(connection, command.upgrade, revision)
        yield connection
    await engine.dispose()
    await server.drop_database(name)


async def move(connection: AsyncConnection, step: Step, revision: str) -> None:
    """`command.upgrade` or `command.downgrade` to a revision, and keep what that did."""

    def run(raw: Connection) -> None:
        config = Config()
        config.set_main_option("script_location", str(migrating.scripts()))
        config.attributes["connection"] = raw
        step(config, revision)

    await connection.run_sync(run)
    await connection.commit()


async def add_account(connection: AsyncConnection, account: UUID) -> None:
    await connection.execute(
        text(
            "insert into account (id, kind, name, country, currency, time_zone)"
            " values (:id, 'team', 'x', 'ES', 'EUR', 'Europe/Madrid')"
        ),
        {"id": account},
    )
