"""Bring a database to this version's tables, one process at a time."""

from collections.abc import Callable
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

_LOCK = 7_309_221_504
"""Any number that is only ours: two processes that start together migrate one after the other."""


class MigrationError(Exception):
    """The database cannot be brought to this version; the text says what to do."""


def scripts() -> Path:
    """The migrations: beside the package in the wheel, at the top of a working copy."""
    package = Path(__file__).parents[1]
    installed = package / "migrations"
    return installed if installed.is_dir() else package.parents[1] / "migrations"


async def upgrade(url: str) -> None:
    """Apply what is missing. Raises MigrationError when the database belongs to a newer ledgerkit."""
    await _run(url, lambda config: command.upgrade(config, "head"))


async def check(url: str) -> None:
    """Raises MigrationError when the tables of the code and of the migrations differ."""
    await _run(url, command.check)


async def _run(url: str, work: Callable[[Config], object]) -> None:
    engine = create_async_engine(url, poolclass=NullPool)
    try:
        async with engine.connect() as connection:
            await connection.execute(text(f"select pg_advisory_lock({_LOCK})"))
            await connection.commit()
            await connection.run_sync(_alembic, work)
            await connection.execute(text(f"select pg_advisory_unlock({_LOCK})"))
            await connection.commit()
    except CommandError as error:
        msg = (
            f"{error}. If it says that a revision cannot be located, the database was made by a newer ledgerkit: "
            "install that version again."
        )
        raise MigrationError(msg) from error
    finally:
        await engine.dispose()


def _alembic(connection: Connection, work: Callable[[Config], object]) -> None:
    config = Config()
    config.set_main_option("script_location", str(scripts()).replace("%", "%%"))
    config.attributes["connection"] = connection
    work(config)
