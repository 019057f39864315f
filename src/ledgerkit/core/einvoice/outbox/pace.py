"""Schedule of the chains: when each next message is due, what waits for it, and when incidents are reviewed.

Lock order: records and invoices first, the chain's row of fiscal_sender last.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from sqlalchemy import ColumnElement, DateTime, Integer, Uuid, and_, bindparam, case, func, null, select, update
from sqlalchemy.dialects.postgresql import Insert
from sqlalchemy.dialects.postgresql import insert as upsert

from ledgerkit import clock
from ledgerkit.core.einvoice.outbox import retry_policy
from ledgerkit.core.einvoice.outbox.retry_policy import RetryDecision, Trouble
from ledgerkit.core.einvoice.outbox.table import SenderRow, fiscal_sender
from ledgerkit.core.einvoice.table import fiscal_record, fiscal_status
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Context, Kernel


@dataclass(frozen=True)
class WaitingCount:
    """Number of records without a final answer, and when the oldest of them was made."""

    count: int
    oldest_at: datetime | None


async def schedule(
    ctx: Context, installation_id: UUID, made_at: datetime, max_batch: int, last_position: Values[SenderRow]
) -> None:
    """Schedule the message of a new record: at once, or when the authority's pause ends or a full message waits.

    `last_position`: the columns of fiscal_sender that name the chain's new last record. Nothing is due while the chain
    is stopped. Source: Orden HAC/1177/2024 art. 16.2.
    """
    await _SCHEDULE.run(ctx.db, **schedule_parameters(ctx, installation_id, made_at, max_batch, last_position))


def schedule_parameters(
    ctx: Context, installation_id: UUID, made_at: datetime, max_batch: int, last_position: Values[SenderRow]
) -> dict[str, object]:
    """Parameters of `schedule_statement`."""
    moments = {"made_at": made_at, "late_at": made_at + retry_policy.LATE_AFTER, "max_batch": max_batch}
    return {"account_id": ctx.account.id, "installation_id": installation_id, **moments, **last_position}


def schedule_statement() -> Insert:
    """Build the statement of `schedule`, which another statement may carry (`ExtraWrites`)."""
    sender = fiscal_sender.c
    last_position = {name: bindparam(name, type_=sender[name].type) for name in ("position", "database_identity")}
    key = {name: bindparam(name, type_=sender[name].type) for name in ("account_id", "installation_id")}
    moments = {
        "waiting_since": bindparam("made_at", type_=sender.waiting_since.type),
        "watch_at": bindparam("late_at", type_=sender.watch_at.type),
    }
    new_row = upsert(fiscal_sender).values({**key, "due_at": func.now(), "waiting": 1, **moments, **last_position})
    fills_message = and_(sender.waiting + 1 >= bindparam("max_batch", type_=Integer), sender.failures == 0)
    soonest = func.coalesce(sender.due_at, func.greatest(func.now(), sender.allowed_at))
    values = {
        "due_at": case((sender.stopped_at.is_not(None), null()), (fills_message, func.now()), else_=soonest),
        "waiting": sender.waiting + 1,
        "waiting_since": func.coalesce(sender.waiting_since, new_row.excluded.waiting_since),
        "watch_at": func.coalesce(sender.watch_at, new_row.excluded.watch_at),
        **last_position,
    }
    return new_row.on_conflict_do_update(index_elements=["account_id", "installation_id"], set_=values)


_SCHEDULE = Prepared(schedule_statement())


async def note_last_position(ctx: Context, installation_id: UUID, last_position: Values[SenderRow]) -> None:
    """Store the chain's last position for a record that is signed and not sent: no message is due for it."""
    key = Values(SenderRow, account_id=ctx.account.id, installation_id=installation_id)
    new_row = upsert(fiscal_sender).values(key | last_position)
    await ctx.db.execute(new_row.on_conflict_do_update(index_elements=list(key), set_=dict(last_position)))


async def sender_row(ctx: Context, installation_id: UUID, *, lock: bool = False) -> SenderRow:
    """Return the chain's row of fiscal_sender; with `lock`, locked until the transaction ends."""
    statement = _LOCKED_SENDER if lock else _SENDER
    return await statement.one(ctx.db, account_id=ctx.account.id, installation_id=installation_id)


_OF_CHAIN = (
    fiscal_sender.c.account_id == bindparam("account_id", type_=Uuid),
    fiscal_sender.c.installation_id == bindparam("installation_id", type_=Uuid),
)
_SENDER = Prepared(select(fiscal_sender).where(*_OF_CHAIN), SenderRow)
_LOCKED_SENDER = Prepared(select(fiscal_sender).where(*_OF_CHAIN).with_for_update(), SenderRow)


async def apply_decision(
    ctx: Context, installation_id: UUID, decision: RetryDecision, holder: UUID, max_batch: int
) -> None:
    """Write the chain's row as decided after an answer; end the lease if it is still `holder`'s."""
    sender = await sender_row(ctx, installation_id, lock=True)
    waiting = await count_waiting(ctx, installation_id, most=max_batch)
    now = clock.now()
    allowed_at = now + (timedelta(seconds=decision.wait_seconds) if decision.answered else decision.pause)
    fills_message = decision.answered and not decision.failures and waiting.count >= max_batch
    soonest = now if fills_message else max(allowed_at, now + decision.pause)
    stopped_at = sender.stopped_at or (now if decision.trouble is Trouble.STOPPED else None)
    values = _waiting_values(sender, waiting) | Values(
        SenderRow,
        wait_seconds=decision.wait_seconds,
        failures=decision.failures,
        allowed_at=allowed_at,
        due_at=None if stopped_at else await _next_due(ctx, installation_id, soonest),
        batch_limit=decision.batch_limit,
        suspect_until=decision.suspect_until,
        proven=decision.proven,
        stopped_at=stopped_at,
    )
    if sender.lease_holder == holder:
        values |= _NO_LEASE
    await ctx.db.execute(update(fiscal_sender).where(is_of_chain(ctx, installation_id)).values(values))


async def reset_failures(ctx: Context, installation_id: UUID, holder: UUID) -> None:
    """Count the next failure as a first one, because the authority has all records whose outcome was unknown."""
    of_holder = is_of_chain(ctx, installation_id), fiscal_sender.c.lease_holder == holder
    await ctx.db.execute(update(fiscal_sender).where(*of_holder).values(failures=0))


async def release_lease(ctx: Context, installation_id: UUID, pause: timedelta | None) -> None:
    """End the lease and make the chain due after `pause`; without one, when its waiting records are due."""
    sender = await sender_row(ctx, installation_id, lock=True)
    now = clock.now()
    due_at = await _next_due(ctx, installation_id, now) if pause is None else now + pause
    waiting = await count_waiting(ctx, installation_id, most=_MOST_COUNTED)
    values = _waiting_values(sender, waiting) | Values(SenderRow, due_at=due_at) | _NO_LEASE
    await ctx.db.execute(update(fiscal_sender).where(is_of_chain(ctx, installation_id)).values(values))


_MOST_COUNTED = 1000
_NO_LEASE = Values(SenderRow, lease_until=None, lease_holder=None)


async def count_waiting(ctx: Context, installation_id: UUID | None = None, *, most: int | None = None) -> WaitingCount:
    """Count the records without a final answer in one chain, or in all of the account, up to `most`."""
    waiting = [awaits_answer()]
    if installation_id is not None:
        waiting.append(fiscal_status.c.installation_id == installation_id)
    joined = fiscal_status.join(fiscal_record, fiscal_record.c.id == fiscal_status.c.record_id)
    query = select(fiscal_record.c.generated_at).select_from(joined).where(*waiting)
    first = query.order_by(fiscal_status.c.installation_id, fiscal_status.c.position).limit(most).subquery()
    count, oldest_at = (await ctx.db.execute(select(func.count(), func.min(first.c.generated_at)))).one()
    return WaitingCount(int(count), oldest_at)


async def has_deferred_record(ctx: Context, installation_id: UUID) -> bool:
    """Return True when some record of the chain is deferred, so that later ones go first."""
    deferred = fiscal_status.c.installation_id == installation_id, fiscal_status.c.aside_until.is_not(None)
    query = select(fiscal_status.c.record_id).where(*deferred, awaits_answer()).limit(1)
    return (await ctx.db.execute(query)).first() is not None


def _waiting_values(sender: SenderRow, waiting: WaitingCount) -> Values[SenderRow]:
    """Columns about waiting records. The chain is reviewed when the oldest becomes late.

    When nothing waits any more it is reviewed at once, since its incidents are over.
    """
    if not waiting.count:
        return Values(SenderRow, waiting=0, waiting_since=None, watch_at=clock.now() if sender.watch_at else None)
    watch_at = sender.watch_at or (waiting.oldest_at or clock.now()) + retry_policy.LATE_AFTER
    return Values(SenderRow, waiting=waiting.count, waiting_since=waiting.oldest_at, watch_at=watch_at)


async def _next_due(ctx: Context, installation_id: UUID, soonest: datetime) -> datetime | None:
    """Return `soonest` when a record waits that is not deferred, else the end of the first deferral.

    None when no record waits.
    """
    row = await _FIRST_DUE.one(ctx.db, installation_id=installation_id, now=clock.now())
    return None if row.due_at is None else max(row.due_at, soonest)


def awaits_answer() -> ColumnElement[bool]:
    """Condition for records without a final answer, in constants so that their partial index is used."""
    return fiscal_status.c.state.in_([constant("pending"), constant("unknown")])


class _FirstDueRow(Row):
    due_at: datetime | None


_DUE_AT = func.coalesce(fiscal_status.c.aside_until, bindparam("now", type_=DateTime(timezone=True)))
_IN_CHAIN = fiscal_status.c.installation_id == bindparam("installation_id", type_=Uuid)
_FIRST_DUE = Prepared(select(func.min(_DUE_AT).label("due_at")).where(_IN_CHAIN, awaits_answer()), _FirstDueRow)


def is_of_chain(ctx: Context, installation_id: UUID) -> ColumnElement[bool]:
    """Condition for the chain's row of fiscal_sender, a table without row-level security."""
    return and_(fiscal_sender.c.account_id == ctx.account.id, fiscal_sender.c.installation_id == installation_id)


class ChainState(StrEnum):
    """State of a chain with records to send: waiting for its turn, retrying, or stopped until resumed."""

    WAITING = "waiting"
    RETRYING = "retrying"
    STOPPED = "stopped"


@dataclass(frozen=True)
class WaitingRecords:
    """Records of all chains in one state; `oldest` is the time of the first of them, None without any."""

    state: ChainState
    records: int
    oldest: datetime | None


async def waiting_by_state(kernel: Kernel) -> list[WaitingRecords]:
    """Count the records of all accounts that wait for an authority, by the state of their chain, zero included.

    Reads the senders' table, which holds no account's data. Raises Unavailable.
    """
    sender = fiscal_sender.c
    stopped, failed = sender.stopped_at.is_not(None), sender.failures > 0
    state = case((stopped, ChainState.STOPPED), (failed, ChainState.RETRYING), else_=ChainState.WAITING)
    query = (
        select(state, func.sum(sender.waiting), func.min(sender.waiting_since))
        .where(sender.waiting > 0)
        .group_by(state)
    )

    async def ask() -> dict[str, WaitingRecords]:
        async with kernel.database.asking() as connection:
            rows = await connection.execute(query)
            return {name: WaitingRecords(ChainState(name), count, oldest) for name, count, oldest in rows}

    by_state = await retry_on_conflict(ask)
    return [by_state.get(state, WaitingRecords(state, 0, None)) for state in ChainState]
