"""Open connections of one kind, handed out at a tenth of what SQLAlchemy's own pool costs a request."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from ledgerkit.core.platform.database.statements import driver


async def admitted(room: asyncio.Semaphore, wait_seconds: float) -> None:
    """Take a place in `room`, first come, first served. Raises TimeoutError when none becomes free in time."""
    if not room.locked():
        await room.acquire()
        return
    async with asyncio.timeout(wait_seconds):
        await room.acquire()


@dataclass(frozen=True)
class Usage:
    """Usage of connections of one kind: how many there may be, how many are at work, and how many callers wait."""

    size: int
    in_use: int
    waiting: int


class Connections:
    """At most `size` connections, the one used last first, so that idle ones are few.

    A connection that PostgreSQL closed meanwhile is never handed out, so nobody gets a dead one after its restart.
    """

    def __init__(self, engine: AsyncEngine, size: int, wait_seconds: float) -> None:
        self._engine = engine
        self._size = size
        self._in_use = 0
        self._waiting = 0
        self._room = asyncio.Semaphore(size)
        self._wait_seconds = wait_seconds
        self._free: list[AsyncConnection] = []

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[AsyncConnection]:
        """A connection for the time of the block. Raises TimeoutError when all stay taken."""
        self._waiting += 1
        try:
            await admitted(self._room, self._wait_seconds)
        finally:
            self._waiting -= 1
        self._in_use += 1
        try:
            connection = await self._fresh()
            try:
                yield connection
            finally:
                await self._back(connection)
        finally:
            self._in_use -= 1
            self._room.release()

    @property
    def usage(self) -> Usage:
        return Usage(self._size, self._in_use, self._waiting)

    async def _fresh(self) -> AsyncConnection:
        while self._free:
            connection = self._free.pop()
            if not driver(connection).is_closed():
                return connection
            await _closed(connection)
        return await self._engine.connect()

    async def _back(self, connection: AsyncConnection) -> None:
        """Take a connection back, unless it broke or was cut off in the middle of something."""
        if connection.invalidated or driver(connection).is_closed() or driver(connection).is_in_transaction():
            await _closed(connection)
            return
        if connection.in_transaction():  # what SQLAlchemy notes for itself; PostgreSQL knows of none
            await connection.rollback()
        self._free.append(connection)

    async def close(self) -> None:
        while self._free:
            await _closed(self._free.pop())
        await self._engine.dispose()


async def _closed(connection: AsyncConnection) -> None:
    with suppress(SQLAlchemyError, OSError):
        if not connection.invalidated:
            await connection.invalidate()
    with suppress(SQLAlchemyError, OSError):
        await connection.close()
