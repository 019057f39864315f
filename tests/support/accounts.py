"""Accounts that most tests begin with: registered over HTTP once a worker, and then copied row by row.

A copy has the same ids, keys and rows as its original. Registration itself has its own tests.
"""

import copy
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import httpx2
from sqlalchemy import text
from time_machine import escape_hatch

from ledgerkit.core.operation.installation.database.all_tables import metadata
from ledgerkit.core.platform.database.statements import driver
from support.api import Api, kernel_of
from support.database import as_owner

Rows = dict[str, list[str]]
"""The rows of each table that has any, each as JSON."""


_ACTIVE_NOW = "update membership set last_active_at = clock_timestamp() where last_active_at is not null"
"""As after a registration of this moment: the first request of a test does not write it."""


class Accounts:
    """The accounts that this worker has registered; `settings` in `registered` tell apart how it was configured."""

    def __init__(self) -> None:
        self._originals: dict[Hashable, tuple[Api, str]] = {}

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
    inserts = [
        f"insert into {name} ({_columns(name)}) select {_columns(name)}"  # noqa: S608 - our own tables and rows
        f" from json_populate_recordset(null::{name}, $rows$[{', '.join(new)}]$rows$)"
        for name, rows in after.items()
        if (new := [row for row in rows if row not in before.get(name, ())])
    ]
    return "; ".join(
        ["set local session_replication_role = replica", *inserts, "set local session_replication_role = origin"]
    )


def _columns(name: str) -> str:
    return ", ".join(column.name for column in metadata.tables[name].columns if column.computed is None)
