"""When each chain's next message is due: the authority's pace, what waits, and who is to look at it.

Lock order: whatever concerns records and invoices first, the chain's row of fiscal_sender last.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Integer, and_, bindparam, case, func, null, select, update
from sqlalchemy.dialects.postgresql import Insert
from sqlalchemy.dialects.postgresql import insert as upsert

from ledgerkit import clock
from ledgerkit.core.database.statements import Prepared, constant
from ledgerkit.core.einvoice.models import fiscal_record, fiscal_status
from ledgerkit.core.einvoice.outbox import retry_policy
from ledgerkit.core.einvoice.outbox.models import fiscal_sender
from ledgerkit.core.einvoice.outbox.retry_policy import RetryDecision, Trouble
from ledgerkit.core.request.context import Context


@dataclass(frozen=True)
class WaitingCount:
    """Records of a chain without a final answer, and when the oldest was made."""

    count: int
    since: datetime | None


async def schedule(
    ctx: Context, installation_id: UUID, made_at: datetime, max_batch: int, place: Mapping[str, Any]
) -> None:
    """A record was made: due at once, or when the authority's pause is over or a whole message waits.

    `place`: what else the chain's row says of its last record. Nothing is due while the chain is stopped.
    Source: Orden HAC/1177/2024 art. 16.2.
    """
    await _WAKE.run(ctx.db, **schedule_parameters(ctx, installation_id, made_at, max_batch, place))


def schedule_parameters(
    ctx: Context, installation_id: UUID, made_at: datetime, max_batch: int, place: Mapping[str, Any]
) -> dict[str, Any]:
    """The parameters of `waking`."""
    told = {"made_at": made_at, "late_at": made_at + retry_policy.LATE_AFTER, "max_batch": max_batch}
    return {"account_id": ctx.account.id, "installation_id": installation_id, **told, **place}


def schedule_statement() -> Insert:
    """What `wake` says, for a statement that writes more."""
    kept = fiscal_sender.c
    place = {name: bindparam(name, type_=kept[name].type) for name in ("position", "database_identity")}
    mine = {name: bindparam(name, type_=kept[name].type) for name in ("account_id", "installation_id")}
    moments = {
        "waiting_since": bindparam("made_at", type_=kept.waiting_since.type),
        "watch_at": bindparam("late_at", type_=kept.watch_at.type),
    }
    new = upsert(fiscal_sender).values({**mine, "due_at": func.now(), "waiting": 1, **moments, **place})
    full = and_(kept.waiting + 1 >= bindparam("max_batch", type_=Integer), kept.failures == 0)
    soonest = func.coalesce(kept.due_at, func.greatest(func.now(), kept.allowed_at))
    values = {
        "due_at": case((kept.stopped_at.is_not(None), null()), (full, func.now()), else_=soonest),
        "waiting": kept.waiting + 1,
        "waiting_since": func.coalesce(kept.waiting_since, new.excluded.waiting_since),
        "watch_at": func.coalesce(kept.watch_at, new.excluded.watch_at),
        **place,
    }
    return new.on_conflict_do_update(index_elements=["account_id", "installation_id"], set_=values)


_WAKE = Prepared(schedule_statement())


async def note_last_position(ctx: Context, installation_id: UUID, place: Mapping[str, Any]) -> None:
    """A record was made that is not sent: nothing is due for it, and the chain has come further."""
    new = upsert(fiscal_sender).values(account_id=ctx.account.id, installation_id=installation_id, **place)
    keys = ["account_id", "installation_id"]
    await ctx.db.execute(new.on_conflict_do_update(index_elements=keys, set_=dict(place)))


async def sender_row(ctx: Context, installation_id: UUID, *, lock: bool = False) -> Any:
    """The chain's row; with `lock` until the transaction ends."""
    query = select(fiscal_sender).where(*_mine(ctx, installation_id))
    return (await ctx.db.execute(query.with_for_update() if lock else query)).one()


async def apply_decision(
    ctx: Context, installation_id: UUID, course: RetryDecision, holder: UUID, max_batch: int
) -> None:
    """The chain's row as `course` wants it; the lease ends, if it is still `holder`'s."""
    before = await sender_row(ctx, installation_id, lock=True)
    left = await count_waiting(ctx, installation_id, most=max_batch)
    now = clock.now()
    wait = timedelta(seconds=course.wait_seconds)
    allowed = now + (wait if course.answered else course.pause)
    full = course.answered and not course.failures and left.count >= max_batch
    soonest = now if full else max(allowed, now + course.pause)
    stopped = before.stopped_at or (now if course.trouble is Trouble.STOPPED else None)
    values = {
        "wait_seconds": course.wait_seconds,
        "failures": course.failures,
        "allowed_at": allowed,
        "due_at": None if stopped else await _next_due(ctx, installation_id, soonest),
        "batch_limit": course.limit,
        "suspect_until": course.suspect_until,
        "proven": course.proven,
        "stopped_at": stopped,
        **_watched(before, left),
    }
    if before.lease_holder == holder:
        values |= {"lease_until": None, "lease_holder": None}
    await ctx.db.execute(update(fiscal_sender).where(*_mine(ctx, installation_id)).values(values))


async def reset_failures(ctx: Context, installation_id: UUID, holder: UUID) -> None:
    """The authority has said of all that was in doubt that it holds it: the next failure is a first one again."""
    mine = *_mine(ctx, installation_id), fiscal_sender.c.lease_holder == holder
    await ctx.db.execute(update(fiscal_sender).where(*mine).values(failures=0))


async def release_lease(ctx: Context, installation_id: UUID, pause: timedelta | None) -> None:
    """Give the lease back and look again after `pause`; with None when something is due by itself."""
    before = await sender_row(ctx, installation_id, lock=True)
    now = clock.now()
    due_at = await _next_due(ctx, installation_id, now) if pause is None else now + pause
    nothing = {"due_at": due_at, "lease_until": None, "lease_holder": None}
    left = await count_waiting(ctx, installation_id, most=1000)
    values = nothing | _watched(before, left)
    await ctx.db.execute(update(fiscal_sender).where(*_mine(ctx, installation_id)).values(values))


async def count_waiting(ctx: Context, installation_id: UUID | None = None, *, most: int | None = None) -> WaitingCount:
    """What waits in one chain, or in all of the account; `most` are counted."""
    here = [awaits_answer()]
    if installation_id is not None:
        here.append(fiscal_status.c.installation_id == installation_id)
    joined = fiscal_status.join(fiscal_record, fiscal_record.c.id == fiscal_status.c.record_id)
    found = select(fiscal_record.c.generated_at).select_from(joined).where(*here)
    known = found.order_by(fiscal_status.c.installation_id, fiscal_status.c.position).limit(most).subquery()
    count, since = (await ctx.db.execute(select(func.count(), func.min(known.c.generated_at)))).one()
    return WaitingCount(int(count), since)


async def has_deferred_record(ctx: Context, installation_id: UUID) -> bool:
    """Whether some record of the chain lets others go first."""
    here = fiscal_status.c.installation_id == installation_id, fiscal_status.c.aside_until.is_not(None), awaits_answer()
    return (await ctx.db.execute(select(fiscal_status.c.record_id).where(*here).limit(1))).first() is not None


def _watched(before: Any, left: WaitingCount) -> dict[str, Any]:
    """Looked at when the oldest becomes late, and at once when nothing waits any more: then troubles are over."""
    if not left.count:
        return {"waiting": 0, "waiting_since": None, "watch_at": clock.now() if before.watch_at else None}
    return {
        "waiting": left.count,
        "waiting_since": left.since,
        "watch_at": before.watch_at or (left.since or clock.now()) + retry_policy.LATE_AFTER,
    }


async def _next_due(ctx: Context, installation_id: UUID, soonest: datetime) -> datetime | None:
    """`soonest` when records wait for their turn; when the first that stands aside has its; None without any."""
    now = clock.now()
    here = fiscal_status.c.installation_id == installation_id, awaits_answer()
    turn = func.min(func.coalesce(fiscal_status.c.aside_until, now))
    first = (await ctx.db.execute(select(turn).where(*here))).scalar_one()
    return None if first is None else max(first, soonest)


def awaits_answer() -> Any:
    """The records that wait; in constants, for the index of those."""
    return fiscal_status.c.state.in_([constant("pending"), constant("unknown")])


def _mine(ctx: Context, installation_id: UUID) -> tuple[Any, ...]:
    return fiscal_sender.c.account_id == ctx.account.id, fiscal_sender.c.installation_id == installation_id
