"""Read and change reference tables, before an account is known or without one."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy import Executable
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.database.row_types import RowT
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Kernel

Result = TypeVar("Result")


async def fetch_row(kernel: Kernel, statement: Prepared[RowT], **values: object) -> RowT | None:
    """Return the first row of a statement; None when there is none."""
    return await look_up(kernel, lambda db: statement.row(db, **values))


async def fetch_rows(kernel: Kernel, statement: Prepared[RowT], **values: object) -> list[RowT]:
    """Return all rows of a statement."""
    return await look_up(kernel, lambda db: statement.rows(db, **values))


async def change(kernel: Kernel, work: Callable[[AsyncConnection], Awaitable[Result]]) -> Result:
    """Return what `work` returns in a transaction of its own on reference tables; repeated after a conflict.

    Raises Unavailable, and what `work` raises.
    """

    async def attempt() -> Result:
        async with kernel.database.transaction(None) as db:
            return await work(db)

    return await retry_on_conflict(attempt)


async def execute(kernel: Kernel, statement: Executable) -> None:
    """Execute one statement in a transaction of its own on reference tables. Raises Unavailable."""
    await change(kernel, lambda db: db.execute(statement))


async def look_up(kernel: Kernel, read: Callable[[AsyncConnection], Awaitable[Result]]) -> Result:
    """Return what `read` returns on a connection that reads reference tables only. Raises Unavailable."""

    async def attempt() -> Result:
        async with kernel.database.asking() as db:
            return await read(db)

    return await retry_on_conflict(attempt)
