"""The database as its owner sees it, past every wall: to count what was left behind, and to set the scene."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from copy import copy
from typing import Any

from pydantic import SecretStr
from sqlalchemy import func, literal, select, text, union_all
from sqlalchemy.dialects.postgresql.asyncpg import PGCompiler_asyncpg
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from ledgerkit.core.operation.installation.database.all_tables import metadata
from ledgerkit.core.platform.database.statements import driver
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.embedded_postgres import Urls
from ledgerkit.settings import Settings


def on_database(settings: Settings, urls: Urls) -> Settings:
    return settings.model_copy(update={"database_url": SecretStr(urls.owner), "database_app_url": SecretStr(urls.app)})


@asynccontextmanager
async def as_owner(kernel: Kernel) -> AsyncIterator[AsyncConnection]:
    """A connection that row-level security does not bind: within the test's transaction where it is rolled back."""
    if kernel.settings.database_url is None:
        async with kernel.database.asking() as connection:
            await connection.execute(text("reset role"))
            with _of_all_accounts(connection):
                yield connection
        return
    engine = create_async_engine(
        kernel.settings.database_url.get_secret_value(), poolclass=NullPool, isolation_level="AUTOCOMMIT"
    )
    async with engine.connect() as connection:
        yield connection
    await engine.dispose()


@contextmanager
def _of_all_accounts(connection: AsyncConnection) -> Iterator[None]:
    """Let statements of the connection name no account meanwhile, as those of the owner's own sessions."""
    used = connection.sync_connection
    usual = used.dialect
    used.dialect = copy(usual)
    used.dialect.statement_compiler = PGCompiler_asyncpg
    try:
        yield
    finally:
        used.dialect = usual


async def row_counts(kernel: Kernel) -> dict[str, int]:
    """Count the rows of each table."""
    counted = [select(literal(name), func.count()).select_from(table) for name, table in metadata.tables.items()]
    async with as_owner(kernel) as connection:
        return {row[0]: row[1] for row in await connection.execute(union_all(*counted))}


async def everything_stored(kernel: Kernel) -> str:
    """Every row of every table as text, in an order of its own: PostgreSQL promises none."""
    async with as_owner(kernel) as connection:
        found: list[str] = []
        for table in sorted(metadata.tables):
            found += (await connection.execute(text(f"select t::text from {table} t order by 1"))).scalars()  # noqa: S608 - our own table names
        return "\n".join(found)


async def prove_address(kernel: Kernel, email: str) -> None:
    """The address counts as confirmed by its owner."""
    async with as_owner(kernel) as connection:
        query = text("update app_user set email_verified = true where email = :email")
        await connection.execute(query, {"email": email})


async def set_role(kernel: Kernel, *, team_id: str, user_email: str, role: str) -> None:
    """Make a user a member of a team with this role; the team becomes the user's active one."""
    values: dict[str, Any] = {"team": team_id, "email": user_email, "role": role}
    async with as_owner(kernel) as connection:
        await connection.execute(
            text(
                "insert into membership (id, account_id, user_id, role)"
                " select gen_random_uuid(), cast(:team as uuid), id, :role from app_user where email = :email"
                " on conflict (account_id, user_id) do update set role = excluded.role"
            ),
            values,
        )
        await connection.execute(
            text("update app_user set active_account_id = cast(:team as uuid) where email = :email"), values
        )


@contextmanager
def overheard(kernel: Any) -> Iterator[list[str]]:
    """The statements that the application sends meanwhile."""
    said: list[str] = []
    connection = driver(kernel.database.pinned)
    with connection.query_logger(lambda one: said.append(one.query)):
        yield said
