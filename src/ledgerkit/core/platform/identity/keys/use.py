"""Note when a scoped key was last used, beside the request that uses it: no request waits for that write."""

import asyncio
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from sqlalchemy import DateTime, Uuid, bindparam, text

from ledgerkit import clock
from ledgerkit.core.platform.database.outages import DATABASE_ERRORS
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import Database, retry_on_conflict
from ledgerkit.problems import Problem

PRECISION = timedelta(minutes=1)
"""Precision of `last_used_at`."""

_NOTE = Prepared(
    text(
        "update scoped_key set last_used_at = :moment where id ="
        " (select id from scoped_key where id = :id and coalesce(last_used_at < :stale, true) for update skip locked)"
    ).bindparams(
        bindparam("id", type_=Uuid),
        bindparam("moment", type_=DateTime(timezone=True)),
        bindparam("stale", type_=DateTime(timezone=True)),
    )
)

log = structlog.get_logger()


class KeyUse:
    """Writes of `last_used_at`, each in a task of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tasks: dict[UUID, asyncio.Task[None]] = {}

    def note(self, key_id: UUID, last_used_at: datetime | None) -> None:
        """Begin to store that a key is used now, unless that was stored within the last minute or is being stored."""
        moment = clock.now()
        is_recent = last_used_at is not None and last_used_at >= moment - PRECISION
        if is_recent or key_id in self._tasks:
            return
        self._tasks[key_id] = asyncio.create_task(self._write(key_id, moment))
        self._tasks[key_id].add_done_callback(lambda _: self._tasks.pop(key_id))

    async def finish(self) -> None:
        """Wait for the writes under way."""
        await asyncio.gather(*self._tasks.values())

    async def _write(self, key_id: UUID, moment: datetime) -> None:
        async def attempt() -> None:
            async with self._database.transaction(None) as db:
                await _NOTE.run(db, id=key_id, moment=moment, stale=moment - PRECISION)

        try:
            await retry_on_conflict(attempt)
        except (Problem, *DATABASE_ERRORS) as error:
            log.warning("the use of a key could not be noted", key=str(key_id), reason=str(error))
