"""Presence of server processes: a running request belongs to one, and its key is free when that process has died."""

import asyncio
import math
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from uuid import UUID

import asyncpg
import structlog

from ledgerkit.core.platform.database.row_types import DriverRow
from ledgerkit.core.platform.database.targets import connect
from ledgerkit.core.platform.request.previews import DryRun

GRACE = 6.0
"""Seconds for which a process must have been away: after an outage of PostgreSQL each takes its lock again."""

_LOOK = 1.0
_RETRY = 0.5
_STATEMENT_SECONDS = 5
_CLASS = 0x6C6B
"""First half of the advisory locks by which processes are present, the second is the process's number."""

_LOCK = "select pg_try_advisory_lock($1, $2)"
_PRESENT = (
    "select objid::bigint as number from pg_locks where locktype = 'advisory' and granted and objsubid = 2"
    " and classid = $1 and database = (select oid from pg_database where datname = current_database())"
)
_LOST = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)

_Key = tuple[UUID, str]
"""An account and an idempotency key of its requests."""

log = structlog.get_logger()


class Presence:
    """The presence of this process, and its knowledge of the others.

    A process shows its presence by an advisory lock of a separate session. PostgreSQL releases the lock when the
    process dies, in whatever way. A request asks for presences only if it meets the key of another request.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.number = secrets.randbelow(2**31 - 1) + 1
        """Number of this process, as it stands beside the keys of its requests."""
        self._keys: dict[_Key, object] = {}
        self._connection: asyncpg.Connection[DriverRow] | None = None
        self._seen_at: dict[int, float] = {}
        self._looked_at = 0.0
        self._looking = asyncio.Lock()
        self._watching_since: float | None = None
        self._task: asyncio.Task[None] | None = None

    def in_dry_run(self, _: DryRun) -> "Presence":
        return self

    async def start(self) -> None:
        """Take the lock, and check the locks of the others from now on. Raises what opening a connection raises."""
        await self._appear()
        self._task = asyncio.create_task(self._stay(), name="presence")

    async def stop(self) -> None:
        if self._task is None:
            return
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        if self._connection is not None:
            self._connection.terminate()

    def hold(self, account_id: UUID, key: str, call: object) -> None:
        """Note that `call` works under this key, in this process."""
        self._keys[account_id, key] = call

    def let_go(self, account_id: UUID, key: str, call: object) -> None:
        """Note that `call` has ended, if it held the key."""
        if self._keys.get((account_id, key)) is call:
            del self._keys[account_id, key]

    async def seconds_until_free(self, number: int | None, account_id: UUID, key: str) -> float | None:
        """Return the seconds until the key of a running request of the process `number` is free, 0.0 for now.

        None while the process works on it, as far as is known.
        """
        if number is None:  # of a version that noted no process
            return 0.0
        if number == self.number:
            return None if (account_id, key) in self._keys else 0.0
        if self._away_for(number) >= GRACE:
            try:
                await self._look()  # it may have begun just now
            except _LOST:
                return None
        away = self._away_for(number)
        return None if away == 0.0 else max(0.0, GRACE - away)

    def _away_for(self, number: int) -> float:
        """Return the seconds since a process was seen, 0.0 when it was at the last look, or when nobody looks."""
        if self._watching_since is None:
            return 0.0
        seen_at = self._seen_at.get(number)
        if seen_at is not None and seen_at == self._looked_at:
            return 0.0
        return time.monotonic() - max(seen_at or 0.0, self._watching_since)

    async def _appear(self) -> None:
        self._connection = connection = await connect(
            self._url,
            server_settings={"application_name": "ledgerkit presence"},
            command_timeout=_STATEMENT_SECONDS,
            record_class=DriverRow,
        )
        if not await connection.fetchval(_LOCK, _CLASS, self.number):
            msg = "the lock of this process's former session is still held"
            raise asyncpg.InterfaceError(msg)
        self._watching_since = time.monotonic()
        await self._look()

    async def _look(self) -> None:
        assert self._connection is not None  # noqa: S101 - whoever looks has appeared
        async with self._looking:
            rows = await self._connection.fetch(_PRESENT, _CLASS)
        self._looked_at = time.monotonic()
        self._seen_at |= {row["number"]: self._looked_at for row in rows}

    async def _stay(self) -> None:
        """Look at the others; where the connection is lost, nobody counts as dead until the lock is held again."""
        while True:
            try:
                if self._watching_since is None:
                    await self._appear()
                await asyncio.sleep(_LOOK)
                await self._look()
            except _LOST as error:
                if self._watching_since is not None:
                    log.warning("presence: not seen by other processes", error=repr(error))
                self._watching_since = None
                if self._connection is not None:
                    self._connection.terminate()
                await asyncio.sleep(_RETRY)


def retry_after(seconds: float) -> Mapping[str, str]:
    """Return the header that asks to wait so long, a second at least."""
    return {"Retry-After": str(max(1, math.ceil(seconds)))}
