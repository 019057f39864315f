"""Sending: stored records go out in chain order, one message at a time per chain, at the authority's pace.

A message is stored before it is sent and its answer after; between the two there is no transaction. A lease, kept
alive while the answer is awaited, makes sure that one process sends a chain; when that process dies the lease runs
out and another one sends the same bytes again, which the authority recognises.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import structlog
from sqlalchemy import and_, func, insert, or_, select, update
from sqlalchemy.engine import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.context import Context, Kernel
from ledgerkit.core.db import new_id, persist
from ledgerkit.core.einvoice import answers
from ledgerkit.core.einvoice.models import (
    fiscal_outcome,
    fiscal_record,
    fiscal_sender,
    fiscal_status,
    fiscal_submission,
)
from ledgerkit.core.identity import accounts
from ledgerkit.problems import Unavailable
from ledgerkit.providers.api import Delivery, Environment, FiscalChannel, Heading, Party, State

LATE = timedelta(seconds=240)
"""A record sent later than this after its making is marked late. Source: Orden HAC/1177/2024 art. 16.4."""

LEASE = timedelta(seconds=15)
SWEEP_SECONDS = 2.0
GRACE_SECONDS = 3.0
AT_ONCE = 16
OPEN = (State.PENDING.value, State.UNKNOWN.value)

log = structlog.get_logger()


@dataclass(frozen=True)
class Chain:
    """One installation of one account."""

    account_id: UUID
    installation_id: UUID


@dataclass(frozen=True, kw_only=True)
class Message:
    """A stored message, ready to be sent: its id, its bytes, and the records in it."""

    id: UUID
    content: bytes
    records: Sequence[Row[Any]]
    channel: FiscalChannel
    environment: Environment


class Transmitter:
    """Sends what is due. One per process; the database decides between processes."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._running: dict[Chain, asyncio.Task[bool]] = {}
        self._sweeper: asyncio.Task[None] | None = None
        self._room = asyncio.Semaphore(AT_ONCE)

    async def start(self) -> None:
        """Begin to look for what is due, every two seconds: that is the truth, everything else only a hint."""
        self._sweeper = asyncio.create_task(self._sweep())

    async def stop(self) -> None:
        """Stop looking, and give messages under way a moment for their answers; the rest are sent again by the next."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.gather(self._sweeper, return_exceptions=True)
        under_way = list(self._running.values())
        if under_way:
            await asyncio.wait(under_way, timeout=GRACE_SECONDS)
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    def launch(self, chain: Chain) -> asyncio.Task[bool]:
        """Send the chain's next message if it is due; whoever asks meanwhile shares the same attempt.

        The task gives True when a message was answered. It goes on when those who asked have stopped waiting.
        """
        known = self._running.get(chain)
        if known is not None:
            return known
        task = asyncio.create_task(self._flush(chain))
        self._running[chain] = task
        task.add_done_callback(lambda done: self._forget(chain, done))
        return task

    async def due_within(self, chain: Chain, seconds: float) -> bool:
        """Whether the chain's next message may go within `seconds`; not while the authority has asked for a pause."""
        soon = fiscal_sender.c.due_at <= func.now() + timedelta(seconds=seconds)

        async def ask() -> bool:
            async with self._kernel.database.asking() as connection:
                return bool((await connection.execute(select(soon).where(_of(chain)))).scalar_one_or_none())

        return await persist(ask)

    async def _flush(self, chain: Chain) -> bool:
        async with self._room:
            return await self._send_next(await accounts.system_context(self._kernel, chain.account_id), chain)

    def _forget(self, chain: Chain, task: asyncio.Task[bool]) -> None:
        del self._running[chain]
        if not task.cancelled() and (failure := task.exception()):
            log.error("sending failed", error=repr(failure))

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                due = await self._due()
            except Unavailable:
                continue
            except Exception as error:
                log.exception("cannot look for what is due", exc_info=error)
                continue
            for chain in due:  # not awaited: one that waits for its answer must not delay the others
                self.launch(chain)

    async def _due(self) -> list[Chain]:
        free = or_(fiscal_sender.c.lease_until.is_(None), fiscal_sender.c.lease_until < func.now())
        query = (
            select(fiscal_sender.c.account_id, fiscal_sender.c.installation_id)
            .where(fiscal_sender.c.due_at <= func.now(), free)
            .order_by(fiscal_sender.c.due_at)
            .limit(100)
        )

        async def ask() -> list[Chain]:
            async with self._kernel.database.asking() as connection:
                return [Chain(*found) for found in await connection.execute(query)]

        return await persist(ask)

    # ------------------------------------------------------------ one message

    async def _send_next(self, ctx: Context, chain: Chain) -> bool:
        holder = uuid4()
        message = await persist(lambda: self._prepare(ctx, chain, holder))
        if message is None:
            return False
        heart = asyncio.create_task(self._keep_lease(chain, holder))
        try:
            delivery = await message.channel.deliver(
                message.content, message.environment, timeout_seconds=self._kernel.settings.einvoice_timeout
            )
            await self._kept(ctx, message, holder, delivery)
        finally:
            heart.cancel()
            await asyncio.gather(heart, return_exceptions=True)
        return True

    async def _kept(self, ctx: Context, message: Message, holder: UUID, delivery: Delivery) -> None:
        """Store what came back, however long PostgreSQL is away: a receipt can never be fetched again."""
        identities = [(record.number, record.issue_date) for record in message.records]
        receipt = message.channel.read(delivery, identities)
        log.info(
            "records sent",
            environment=message.environment.value,
            records=len(message.records),
            states=sorted({outcome.state.value for outcome in receipt.outcomes}),
            fault=receipt.fault,
            error=delivery.error,
        )
        answered = answers.Answered(message.id, holder, message.records)

        async def keep() -> None:
            async with ctx.transaction() as inner:
                await answers.keep(inner, answered, delivery, receipt)

        while True:
            try:
                return await persist(keep)
            except Unavailable:
                await asyncio.sleep(1)

    async def _prepare(self, ctx: Context, chain: Chain, holder: UUID) -> Message | None:
        """Take the lease, choose the records, store the message. None when there is nothing to send now."""
        async with ctx.transaction() as inner:
            if not await _take_lease(inner.db, chain, holder):
                return None
            found = await _open_records(inner.db, chain)
            channel = self._channel(found[0]) if found else None
            if channel is None:
                await _postpone(inner.db, chain, answers.LONGEST_PAUSE if found else None)
                return None
            late, chosen = _leading_run(found[: channel.max_batch])
            heading = Heading(issuer=_issuer(ctx, chosen[0]), late=late)
            content = channel.message(heading, [record.content for record in chosen])
            return await _stored(inner.db, chosen, late, content, channel)

    def _channel(self, record: Row[Any]) -> FiscalChannel | None:
        """The channel that made the record, whatever country the account says it is in now."""
        found = self._kernel.countries.channel(record.country, record.channel)
        if found is None:
            log.error(
                "records wait for a channel that is not installed", country=record.country, channel=record.channel
            )
        return found

    async def _keep_lease(self, chain: Chain, holder: UUID) -> None:
        mine = and_(_of(chain), fiscal_sender.c.lease_holder == holder)
        longer = update(fiscal_sender).where(mine).values(lease_until=func.now() + LEASE)
        while True:
            await asyncio.sleep(LEASE.total_seconds() / 3)
            try:
                await persist(lambda: self._execute(longer))
            except Exception as error:
                log.exception("cannot renew the lease", exc_info=error)

    async def _execute(self, statement: Any) -> None:
        async with self._kernel.database.transaction(None) as connection:
            await connection.execute(statement)


def _of(chain: Chain) -> Any:
    mine = fiscal_sender.c.account_id == chain.account_id
    return and_(mine, fiscal_sender.c.installation_id == chain.installation_id)


async def _postpone(db: AsyncConnection, chain: Chain, pause: timedelta | None) -> None:
    """Give the lease back; look again after `pause`, or with None when the next record is made."""
    due_at = None if pause is None else func.now() + pause
    nothing = {"due_at": due_at, "lease_until": None, "lease_holder": None}
    await db.execute(update(fiscal_sender).where(_of(chain)).values(nothing))


async def _take_lease(db: AsyncConnection, chain: Chain, holder: UUID) -> bool:
    free = or_(fiscal_sender.c.lease_until.is_(None), fiscal_sender.c.lease_until < func.now())
    statement = (
        update(fiscal_sender)
        .where(_of(chain), free, fiscal_sender.c.due_at <= func.now())
        .values(lease_until=func.now() + LEASE, lease_holder=holder)
        .returning(fiscal_sender.c.installation_id)
    )
    return (await db.execute(statement)).scalar_one_or_none() is not None


async def _open_records(db: AsyncConnection, chain: Chain) -> Sequence[Row[Any]]:
    """Records without a final answer, in chain order, as many as the largest message takes."""
    answered = select(func.count()).where(fiscal_outcome.c.record_id == fiscal_record.c.id).scalar_subquery()
    lost = or_(fiscal_status.c.state == State.UNKNOWN.value, fiscal_status.c.attempts > answered)
    again = lost.label("again")
    query = (
        select(fiscal_record, again)
        .join(fiscal_status, fiscal_status.c.record_id == fiscal_record.c.id)
        .where(fiscal_status.c.installation_id == chain.installation_id, fiscal_status.c.state.in_(OPEN))
        .order_by(fiscal_status.c.position)
        .limit(1000)
    )
    return (await db.execute(query)).all()


def _leading_run(found: Sequence[Row[Any]]) -> tuple[bool, Sequence[Row[Any]]]:
    """The first records that are all late, or all fresh: a message is one or the other."""
    oldest_fresh = clock.now() - LATE
    late = [record.again or record.generated_at < oldest_fresh for record in found]
    length = next((index for index, one in enumerate(late) if one != late[0]), len(late))
    return late[0], found[:length]


def _issuer(ctx: Context, record: Row[Any]) -> Party:
    return Party(name=ctx.account.issuer_name, tax_id=record.issuer_tax_id, country=record.country)


async def _stored(
    db: AsyncConnection, chosen: Sequence[Row[Any]], late: bool, content: bytes, channel: FiscalChannel
) -> Message:
    first, last = chosen[0], chosen[-1]
    message_id = new_id()
    values = {
        "id": message_id,
        "installation_id": first.installation_id,
        "first_position": first.position,
        "last_position": last.position,
        "late": late,
        "request": content,
    }
    await db.execute(insert(fiscal_submission), values)
    ids = [record.id for record in chosen]
    tried = {"attempts": fiscal_status.c.attempts + 1, "submitted_at": func.now()}
    await db.execute(update(fiscal_status).where(fiscal_status.c.record_id.in_(ids)).values(tried))
    environment = Environment(first.environment)
    return Message(id=message_id, content=content, records=chosen, channel=channel, environment=environment)
