"""Whole books that several tests look at: entered once a worker, and then copied row by row."""

import copy
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import replace

import httpx2
from time_machine import escape_hatch

from ledgerkit.core.platform.database.statements import driver
from support.accounts import inserting, rows
from support.api import Api, kernel_of
from support.database import as_owner


class CopiedBooks:
    """The books that this worker has entered, each with the account that they are of."""

    def __init__(self) -> None:
        self._entered: dict[Hashable, tuple[Api, str]] = {}

    async def of(self, key: Hashable, client: httpx2.AsyncClient, make: Callable[[], Awaitable[Api]]) -> Api:
        """Return the caller that `make` returned for `key`, with all rows that it wrote.

        Under a clock of the test's own, or where files were written, it is called each time.
        """
        if escape_hatch.is_travelling():
            return await make()
        if key in self._entered:
            api, statements = self._entered[key]
            async with as_owner(kernel_of(client)) as connection:
                await driver(connection).execute(statements)
            return replace(api, client=client, headers=dict(api.headers), team=copy.deepcopy(api.team))
        before = await rows(client)
        api = await make()
        if not any(kernel_of(client).settings.data_dir.iterdir()):
            self._entered[key] = (replace(api, team=copy.deepcopy(api.team)), inserting(before, await rows(client)))
        return api
