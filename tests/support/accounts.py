"""Accounts and books that tests begin with: made over HTTP once a worker, and then copied row by row.

A copy has the same ids, keys and rows as its original. Registration itself has its own tests.
"""

import copy
from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from sqlalchemy import text
from time_machine import escape_hatch

from ledgerkit.core.operation.installation.database.all_tables import metadata
from ledgerkit.core.platform.database.statements import driver
from support.api import Api, kernel_of
from support.database import as_owner

T = TypeVar("T")

Rows = dict[str, list[str]]
"""The rows of each table that has any, each as JSON."""


_ACTIVE_NOW = "update membership set last_active_at = clock_timestamp() where last_active_at is not null"
"""As after a request of this moment: the first request of a test does not write it."""


class Accounts:
    """Accounts and books that this worker has made."""

    def __init__(self) -> None:
        self._made: dict[Hashable, tuple[Any, str]] = {}

    async def registered(self, client: httpx2.AsyncClient, settings: str, *person: str) -> Api:
        """A user with a team: `person` is e-mail address, name and tax identifier; `settings` is the configuration."""
        return await self.copied(client, (settings, person), lambda: Api.with_team(client, *person))

    async def copied(
        self, client: httpx2.AsyncClient, key: Hashable, make: Callable[[], Awaitable[T]], *, rows_only: bool = False
    ) -> T:
        """Return what `make` returned for `key`, with all rows that it wrote.

        Where it writes files, it is called each time, unless `rows_only` says that nobody looks at them. So it is under
        a clock of the test's own: tokens are valid by the clock of their making.
        """
        if escape_hatch.is_travelling():
            return await make()
        if key in self._made:
            made, statements = self._made[key]
            async with as_owner(kernel_of(client)) as connection:
                await driver(connection).execute(f"{statements}; {_ACTIVE_NOW}")
            return _of_this_test(made, client)
        rows, files = await _rows(client), _files(client)
        made = await make()
        if rows_only or files == _files(client):
            self._made[key] = _of_this_test(made, client), _difference(rows, await _rows(client))
        return made


def _of_this_test(made: T, client: httpx2.AsyncClient) -> T:
    if isinstance(made, Api):
        return replace(made, client=client, headers=dict(made.headers), team=copy.deepcopy(made.team))
    return copy.deepcopy(made)


COPYING = "select coalesce(json_agg(row_to_json(t)::text), '[]') from {} t"
"""Statement that reads the rows of a table, to be inserted again."""


async def _rows(client: httpx2.AsyncClient) -> Rows:
    """Read the whole database."""
    async with as_owner(kernel_of(client)) as connection:
        found: dict[str, Any] = {
            name: (await connection.execute(text(COPYING.format(name)))).scalar_one() for name in metadata.tables
        }
    return {name: rows for name, rows in found.items() if rows}


def _files(client: httpx2.AsyncClient) -> set[Path]:
    return set(kernel_of(client).settings.data_dir.rglob("*"))


def _difference(before: Rows, after: Rows) -> str:
    """SQL that makes the rows of `after` from those of `before`, without the triggers that check foreign keys."""
    statements = [
        statement(name, rows)
        for statement, old, new in ((_delete, after, before), (insert, before, after))
        for name in new
        if (rows := [row for row in new[name] if row not in old.get(name, ())])
    ]
    return "; ".join(
        ["set local session_replication_role = replica", *statements, "set local session_replication_role = origin"]
    )


def _delete(name: str, rows: Collection[str]) -> str:
    """SQL that deletes these rows by their keys, whatever else they hold by then."""
    keys = metadata.tables[name].primary_key.columns
    same = " and ".join(f't."{key.name}" = gone."{key.name}"' for key in keys)
    return f"delete from {name} t using {_given(name, rows)} gone where {same}"  # noqa: S608 - our own tables and rows


def insert(name: str, rows: Collection[str]) -> str:
    """SQL that inserts these rows, each of which is JSON."""
    columns = ", ".join(f'"{column.name}"' for column in metadata.tables[name].columns if column.computed is None)
    return f"insert into {name} ({columns}) overriding system value select {columns} from {_given(name, rows)}"  # noqa: S608 - our own tables and rows


def _given(name: str, rows: Collection[str]) -> str:
    return f"json_populate_recordset(null::{name}, $rows$[{', '.join(rows)}]$rows$)"
