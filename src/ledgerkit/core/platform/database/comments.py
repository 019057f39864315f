"""Comments of the database on its tables and columns: the sentences that their row types declare."""

from collections.abc import Iterable, Iterator
from typing import Any

import asyncpg
from sqlalchemy import Table
from sqlalchemy.schema import DDLElement, SetColumnComment, SetTableComment

from ledgerkit.core.platform.database.statements import DIALECT

_STORED = """
select c.relname, coalesce(a.attname, ''), d.description
from pg_description d
join pg_class c on c.oid = d.objoid and c.relnamespace = 'public'::regnamespace
left join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid and d.objsubid > 0
where d.classoid = 'pg_class'::regclass
"""


async def write_comments(owner: "asyncpg.Connection[Any]", tables: Iterable[Table]) -> None:
    """Give every table and column the comment of its row type; those that have it already are left alone."""
    stored = {(table, column): comment for table, column, comment in await owner.fetch(_STORED)}
    statements = [str(statement.compile(dialect=DIALECT)) for statement in _differing(tables, stored)]
    if statements:
        await owner.execute(";".join(statements))


def _differing(tables: Iterable[Table], stored: dict[tuple[str, str], str]) -> Iterator[DDLElement]:
    for table in tables:
        if stored.get((table.name, "")) != table.comment:
            yield SetTableComment(table)
        yield from (
            SetColumnComment(column)
            for column in table.columns
            if stored.get((table.name, column.name)) != column.comment
        )
