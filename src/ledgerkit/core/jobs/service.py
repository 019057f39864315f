"""Put work into the queue within the transaction that makes it necessary; list the work that was given up."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.jobs.models import job
from ledgerkit.core.request.context import Context
from ledgerkit.money import dumps_exact

# A job that waits because it failed keeps its due time: news must not use up its attempts.
_ENQUEUE = Prepared(
    text(
        "insert into job (id, name, payload, dedupe_key, order_key, due_at)"
        " values (:id, :name, cast(:payload as jsonb), :dedupe_key, :order_key, now() + cast(:delay as interval))"
        " on conflict (name, dedupe_key) where worker is null and failed_at is null do update"
        " set due_at = case job.attempts when 0 then least(job.due_at, excluded.due_at) else job.due_at end"
    )
)


@dataclass(frozen=True, kw_only=True)
class FailedJob:
    """A job that was given up after its last attempt; `error` is what went wrong then."""

    id: UUID
    name: str
    payload: Mapping[str, object]
    attempts: int
    error: str
    created_at: datetime
    failed_at: datetime


async def enqueue(
    ctx: Context,
    name: str,
    payload: Mapping[str, object],
    *,
    delay: timedelta | None = None,
    dedupe_key: str | None = None,
    order_key: str | None = None,
) -> None:
    """Have the handler of `name` called with `payload`, at the earliest `delay` from now; kept if `ctx` commits.

    It runs at least once: handlers must bear being called again with the same payload.
    `dedupe_key`: while a job of this name and key waits, no second one is made, and the waiting one is due at the
    earlier of both times; one that has begun does not count, since it may have looked before this transaction
    commits. `order_key`: jobs of one key run one at a time, in the order they were enqueued, whatever their names.
    One round trip.
    """
    await _ENQUEUE.run(
        ctx.db,
        id=new_id(),
        name=name,
        payload=dumps_exact(payload),
        dedupe_key=dedupe_key,
        order_key=order_key,
        delay=delay or timedelta(),
    )


async def failed(db: AsyncConnection, limit: int = 100) -> list[FailedJob]:
    """The jobs that were given up, the latest first, `limit` at most."""
    query = (
        select(job.c.id, job.c.name, job.c.payload, job.c.attempts, job.c.error, job.c.created_at, job.c.failed_at)
        .where(job.c.failed_at.is_not(None))
        .order_by(job.c.failed_at.desc(), job.c.id)
        .limit(limit)
    )
    return [FailedJob(**row) for row in (await db.execute(query)).mappings()]
