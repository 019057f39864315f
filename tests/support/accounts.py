"""Accounts that most tests begin with: registered over HTTP once a worker, and then copied row by row.

A copy has the same ids, keys and rows as its original. Registration itself has its own tests.
"""

import copy
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import replace
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
"""As after a registration of this moment: the first request of a test does not write it."""


class Accounts:
    """The accounts that this worker has registered; `settings` in `registered` tell apart how it was configured."""

    def __init__(self) -> None:
        self._originals: dict[Hashable, tuple[Api, str]] = {}
        self._records: dict[str, tuple[Any, str]] = {}

    async def registered(self, client: httpx2.AsyncClient, settings: str, *person: str) -> Api:
        """A user with a team: `person` is e-mail address, name and tax identifier.

        Under a clock of the test's own it is registered there and then: tokens are valid by the clock of their making.
        """
        if escape_hatch.is_travelling():
            return await Api.with_team(client, *person)
        key = (settings, person)
        if key in self._originals:
            original, statements = self._originals[key]
            async with as_owner(kernel_of(client)) as connection:
                await driver(connection).execute(f"{statements}; {_ACTIVE_NOW}")
            return replace(original, client=client, headers=dict(original.headers), team=copy.deepcopy(original.team))
        before = await rows(client)
        api = await Api.with_team(client, *person)
        if not (kernel_of(client).settings.data_dir / "mail").exists():  # mails are files, and not copied
            self._originals[key] = (replace(api, team=copy.deepcopy(api.team)), inserting(before, await rows(client)))
        return api

    async def with_records(self, api: Api, name: str, make: Callable[[], Awaitable[T]]) -> T:
        """Return what `make` returns; its records are made once a worker under this name, and then copied.

        `api` is an account of `registered` of which nothing else has been asked. Files are not copied.
        """
        if escape_hatch.is_travelling():
            return await make()
        if name in self._records:
            made, statements = self._records[name]
            async with as_owner(kernel_of(api.client)) as connection:
                await driver(connection).execute(statements)
            return copy.deepcopy(made)
        before = await rows(api.client)
        made = await make()
        self._records[name] = copy.deepcopy(made), _replacing(before, await rows(api.client))
        return made


COPYING = "select coalesce(json_agg(row_to_json(t)::text), '[]') from {} t"
"""Statement that reads the rows of a table, to be inserted again."""


async def rows(client: httpx2.AsyncClient) -> Rows:
    """Read the whole database."""
    async with as_owner(kernel_of(client)) as connection:
        found: dict[str, Any] = {
            name: (await connection.execute(text(COPYING.format(name)))).scalar_one() for name in metadata.tables
        }
    return {name: rows for name, rows in found.items() if rows}


def inserting(before: Rows, after: Rows) -> str:
    """SQL that adds the rows which `after` has and `before` has not, without the triggers that check foreign keys."""
    new = {name: [row for row in rows if row not in before.get(name, ())] for name, rows in after.items()}
    return _without_triggers([_insert(name, rows) for name, rows in new.items() if rows])


def _replacing(before: Rows, after: Rows) -> str:
    """SQL that turns the rows of `before` into those of `after`: tables that differ are filled anew."""
    changed = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    deletes = [f"delete from {name}" for name in changed]  # noqa: S608 - our own tables
    return _without_triggers([*deletes, *(_insert(name, after[name]) for name in changed if name in after)])


def _insert(name: str, rows: list[str]) -> str:
    return (
        f"insert into {name} ({_columns(name)}) overriding system value select {_columns(name)}"  # noqa: S608 - our own tables and rows
        f" from json_populate_recordset(null::{name}, $rows$[{', '.join(rows)}]$rows$)"
    )


def _without_triggers(statements: list[str]) -> str:
    return "; ".join(
        ["set local session_replication_role = replica", *statements, "set local session_replication_role = origin"]
    )


def _columns(name: str) -> str:
    return ", ".join(f'"{column.name}"' for column in metadata.tables[name].columns if column.computed is None)
