"""Queue of jobs: put in by the transaction that makes them necessary; jobs that were given up are listed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.jobs.table import job
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.money import dumps_exact

# A job that waits after a failure stays due at its time: a new request for it must not use up its attempts.
_ENQUEUE = Prepared(
    text(
        "insert into job (id, name, payload, dedupe_key, order_key, due_at)"
        " values (:id, :name, cast(:payload as jsonb), :dedupe_key, :order_key, now() + cast(:delay as interval))"
        " on conflict (name, dedupe_key) where worker is null and failed_at is null do update"
        " set payload = case when cast(:newest_wins as boolean) then excluded.payload else job.payload end,"
        " due_at = case job.attempts when 0 then least(job.due_at, excluded.due_at) else job.due_at end"
    )
)


@dataclass(frozen=True, kw_only=True)
class FailedJob:
    """A job that was given up after its last attempt, with the error of that attempt."""

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
    newest_wins: bool = False,
) -> None:
    """Queue a call of the handler of `name` with `payload`, `delay` from now at the earliest, if `ctx` commits.

    It runs at least once: handlers must tolerate being called again with the same payload.
    `dedupe_key`: while a job of this name and key waits, no second one is queued, and the waiting one is due at the
    earlier of both times; with `newest_wins` it takes the new payload. A job that has begun does not count, since it
    may have read before this transaction commits. `order_key`: jobs of one key run one at a time, in the order they
    were enqueued, whatever their names.
    One round trip.
    """
    if ctx.kernel.dry_run is not None:
        ctx.kernel.dry_run.leave_out(DryRunMsg.WORK_AFTERWARDS)
    await _ENQUEUE.run(
        ctx.db,
        id=new_id(),
        name=name,
        payload=dumps_exact(payload),
        dedupe_key=dedupe_key,
        order_key=order_key,
        delay=delay or timedelta(),
        newest_wins=newest_wins,
    )


async def drop(ctx: Context, names: Sequence[str]) -> None:
    """Remove the account's waiting jobs of these names, whose payload names the account as `accountId`."""
    of_account = job.c.payload["accountId"].astext == str(ctx.account.id)
    await ctx.db.execute(delete(job).where(job.c.name.in_(names), job.c.worker.is_(None), of_account))


async def failed(db: AsyncConnection, limit: int = 100) -> list[FailedJob]:
    """List the jobs that were given up, the latest first, `limit` at most."""
    query = (
        select(job.c.id, job.c.name, job.c.payload, job.c.attempts, job.c.error, job.c.created_at, job.c.failed_at)
        .where(job.c.failed_at.is_not(None))
        .order_by(job.c.failed_at.desc(), job.c.id)
        .limit(limit)
    )
    return [FailedJob(**row) for row in (await db.execute(query)).mappings()]
