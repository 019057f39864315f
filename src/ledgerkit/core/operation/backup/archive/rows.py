"""Copies of the rows of all tables, out of a database and into one, by PostgreSQL's COPY."""

from collections.abc import Callable
from graphlib import TopologicalSorter
from typing import Any, BinaryIO, cast
from zipfile import ZipFile

import asyncpg

from ledgerkit.core.operation.backup.archive.file import Table
from ledgerkit.core.operation.backup.texts import BackupMsg
from ledgerkit.core.platform.database.roles import quoted
from ledgerkit.texts import Text, text

Progress = Callable[[Text], None]

PORTABLE = (
    "set datestyle = 'ISO, YMD'; set intervalstyle = postgres; set bytea_output = hex; set extra_float_digits = 3"
)
"""Settings that fix the text form of values, whatever the server's own settings are."""


async def tables(connection: "asyncpg.Connection[Any]") -> list[Table]:
    """Return the existing tables with the columns that hold data; tables that foreign keys point to come first."""
    columns: dict[str, list[str]] = {}
    for row in await connection.fetch(_COLUMNS):
        columns.setdefault(row["name"], []).append(row["column"])
    keys: dict[str, set[str]] = {name: set() for name in columns}
    for row in await connection.fetch(_FOREIGN_KEYS):
        keys[row["name"]].add(row["target"])
    order = TopologicalSorter(keys).static_order()
    return [Table(name=name, columns=tuple(columns[name]), rows=0) for name in order]


async def copy_out(
    connection: "asyncpg.Connection[Any]", all_tables: list[Table], archive: ZipFile, progress: Progress
) -> tuple[Table, ...]:
    """Write the rows of each table as the connection's transaction sees them; return the tables with row counts."""
    copied = []
    for table in all_tables:
        with archive.open(table.member, "w", force_zip64=True) as member:
            status = await connection.copy_from_table(
                table.name, schema_name="public", columns=table.columns, output=cast("BinaryIO", member)
            )
        copied.append(table.model_copy(update={"rows": _count(status)}))
        _tell(copied[-1], progress)
    return tuple(copied)


async def copy_in(
    connection: "asyncpg.Connection[Any]", all_tables: tuple[Table, ...], archive: ZipFile, progress: Progress
) -> None:
    """Insert the rows of each table. Raises asyncpg.PostgresError for rows that the tables do not accept."""
    present = {table.name for table in await tables(connection)}
    for table in all_tables:
        if table.name not in present:
            progress(text(BackupMsg.TABLE_LEFT_OUT, table=table.name))
            continue
        with archive.open(table.member) as member:
            await connection.copy_to_table(
                table.name, schema_name="public", columns=table.columns, source=cast("BinaryIO", member)
            )
        _tell(table, progress)


def _tell(table: Table, progress: Progress) -> None:
    if table.rows:
        progress(text(BackupMsg.ROWS_COPIED, table=table.name, count=table.rows))


def _count(status: str) -> int:
    return int(status.removeprefix("COPY "))


def locked(all_tables: list[Table]) -> str:
    """Return SQL that locks the tables against changes of their definition; rows may be read and written."""
    return f"lock table {', '.join(f'public.{quoted(table.name)}' for table in all_tables)} in access share mode"


_COLUMNS = """
select c.relname as name, a.attname as column
from pg_class c join pg_attribute a on a.attrelid = c.oid
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'alembic_version'
  and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
order by c.relname, a.attnum
"""

_FOREIGN_KEYS = """
select s.relname as name, t.relname as target
from pg_constraint c join pg_class s on s.oid = c.conrelid join pg_class t on t.oid = c.confrelid
where c.contype = 'f' and c.conrelid <> c.confrelid and s.relnamespace = 'public'::regnamespace
"""
