"""Sending: stored records go out in chain order, one message at a time per chain, at the authority's pace.

A message is stored before it is sent and its answer after; between the two there is no transaction. A lease, kept
alive while the answer is awaited, makes sure that one process sends a chain; when that process dies the lease runs
out and another one asks the authority what it holds, and sends the rest again.
"""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import structlog
from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.chain.restore_detection import LastSent, SentRecords
from ledgerkit.core.einvoice.outbox import incidents, pacing, retry_policy
from ledgerkit.core.einvoice.outbox.models import fiscal_sender
from ledgerkit.core.einvoice.transmission import answers, messages, unknown_outcomes
from ledgerkit.core.einvoice.transmission.messages import FiscalMessage, UnknownOutcome
from ledgerkit.core.identity import accounts
from ledgerkit.core.request.context import Context, Kernel
from ledgerkit.problems import Unavailable
from ledgerkit.providers.api import Delivery

LEASE = timedelta(seconds=15)
SWEEP_SECONDS = 2.0
GRACE_SECONDS = 3.0
AT_ONCE = 16
BRISK_SECONDS = 1.0
"""What takes longer is no longer counted among the sixteen: issuers whose answers do not come hold up no others."""

OPEN = tuple(state.value for state in retry_policy.AWAITING_ANSWER)

log = structlog.get_logger()


@dataclass(frozen=True)
class ChainKey:
    """One installation of one account."""

    account_id: UUID
    installation_id: UUID


class _SendingSlot:
    """One of those that a semaphore has given; left once, however often that is said."""

    def __init__(self, room: asyncio.Semaphore) -> None:
        self._room: asyncio.Semaphore | None = room

    def leave(self) -> None:
        room, self._room = self._room, None
        if room is not None:
            room.release()


class Transmitter:
    """Sends what is due. One per process; the database decides between processes."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._running: dict[ChainKey, asyncio.Task[bool]] = {}
        self._watching: dict[ChainKey, asyncio.Task[None]] = {}
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
        under_way: list[asyncio.Task[Any]] = [*self._running.values(), *self._watching.values()]
        if under_way:
            await asyncio.wait(under_way, timeout=GRACE_SECONDS)
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    def launch(self, chain: ChainKey) -> asyncio.Task[bool]:
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

    async def due_within(self, chain: ChainKey, seconds: float) -> bool:
        """Whether the chain's next message may go within `seconds`; not while the authority has asked for a pause."""
        soon = fiscal_sender.c.due_at <= func.now() + timedelta(seconds=seconds)

        async def ask() -> bool:
            async with self._kernel.database.asking() as connection:
                return bool((await connection.execute(select(soon).where(_of(chain)))).scalar_one_or_none())

        return await retry_on_conflict(ask)

    async def _flush(self, chain: ChainKey) -> bool:
        await self._room.acquire()
        place = _SendingSlot(self._room)
        soon = asyncio.get_running_loop().call_later(BRISK_SECONDS, place.leave)
        try:
            return await self._send_next(await accounts.system_context(self._kernel, chain.account_id), chain)
        finally:
            soon.cancel()
            place.leave()

    def _forget(self, chain: ChainKey, task: asyncio.Task[bool]) -> None:
        del self._running[chain]
        if not task.cancelled() and (failure := task.exception()):
            log.error("sending failed", error=repr(failure))

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                due, watched = await self._due(), await self._to_be_watched()
            except Unavailable:
                continue
            except Exception as error:
                log.exception("cannot look for what is due", exc_info=error)
                continue
            for chain in due:  # not awaited: one that waits for its answer must not delay the others
                self.launch(chain)
            for chain in watched:
                self._watch(chain)

    def _watch(self, chain: ChainKey) -> None:
        if chain not in self._watching:
            task = self._watching[chain] = asyncio.create_task(self._look_at(chain))
            task.add_done_callback(lambda _: self._watching.pop(chain))

    async def _look_at(self, chain: ChainKey) -> None:
        try:
            await incidents.review(await accounts.system_context(self._kernel, chain.account_id), chain.installation_id)
        except Unavailable:
            return
        except Exception as error:
            log.exception("cannot look at what waits", exc_info=error)

    async def _due(self) -> list[ChainKey]:
        """Those that are not being sent by anybody, the longest due first."""
        free = or_(fiscal_sender.c.lease_until.is_(None), fiscal_sender.c.lease_until < func.now())
        return await self._chains(fiscal_sender.c.due_at, fiscal_sender.c.due_at <= func.now(), free)

    async def _to_be_watched(self) -> list[ChainKey]:
        return await self._chains(fiscal_sender.c.watch_at, fiscal_sender.c.watch_at <= clock.now())

    async def _chains(self, moment: Any, *wanted: Any) -> list[ChainKey]:
        chain = fiscal_sender.c.account_id, fiscal_sender.c.installation_id
        query = select(*chain).where(*wanted).order_by(moment).limit(100)

        async def ask() -> list[ChainKey]:
            async with self._kernel.database.asking() as connection:
                return [ChainKey(*found) for found in await connection.execute(query)]

        return await retry_on_conflict(ask)

    # ------------------------------------------------------------ one message

    async def _send_next(self, ctx: Context, chain: ChainKey) -> bool:
        holder = uuid4()
        step = await self._prepare(ctx, chain, holder)
        if step is None:
            return False
        heart = asyncio.create_task(self._keep_lease(chain, holder))
        try:
            if isinstance(step, UnknownOutcome):
                step = await self._after_asking(ctx, chain, holder, step)
            return step is not None and await self._sent(ctx, holder, step)
        finally:
            heart.cancel()
            await asyncio.gather(heart, return_exceptions=True)

    async def _after_asking(
        self, ctx: Context, chain: ChainKey, holder: UUID, doubt: UnknownOutcome
    ) -> FiscalMessage | None:
        """What is still to be sent once the authority has said what it holds; another doubt waits for its turn."""
        assert doubt.channel.asks is not None  # noqa: S101 - a doubt is only had where it can be settled
        await unknown_outcomes.settle(ctx, doubt, doubt.channel.asks, holder)
        step = await self._prepare(ctx, chain, holder, doubt)
        if isinstance(step, UnknownOutcome):
            await retry_on_conflict(lambda: _rested(ctx, chain))
            return None
        return step

    async def _sent(self, ctx: Context, holder: UUID, message: FiscalMessage) -> bool:
        last = message.records[-1]
        sent = LastSent(last.position, last.number)
        await self._kernel.service(SentRecords).remember(last.installation_id, sent)
        delivery = await message.channel.deliver(
            message.content,
            message.environment,
            timeout_seconds=self._kernel.settings.einvoice_timeout,
            access=message.access,
        )
        await self._kept(ctx, message, holder, delivery)
        return True

    async def _kept(self, ctx: Context, message: FiscalMessage, holder: UUID, delivery: Delivery) -> None:
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
        answered = answers.SentMessage(
            message_id=message.id,
            sent_at=message.at,
            holder=holder,
            records=message.records,
            max_batch=message.channel.max_batch,
            may_ask=message.channel.asks is not None,
        )

        async def keep() -> None:
            async with ctx.transaction() as inner:
                await answers.store_answer(inner, answered, delivery, receipt)

        while True:
            try:
                return await retry_on_conflict(keep)
            except Unavailable:
                await asyncio.sleep(1)

    async def _prepare(
        self, ctx: Context, chain: ChainKey, holder: UUID, settled: UnknownOutcome | None = None
    ) -> FiscalMessage | UnknownOutcome | None:
        """Take the lease, and say what to do. None when there is nothing to send now."""

        async def attempt() -> FiscalMessage | UnknownOutcome | None:
            async with ctx.transaction() as inner:
                if not await _take_lease(inner.db, chain, holder):
                    return None
                return await messages.next_step(inner, chain.installation_id, settled)

        return await retry_on_conflict(attempt)

    async def _keep_lease(self, chain: ChainKey, holder: UUID) -> None:
        mine = and_(_of(chain), fiscal_sender.c.lease_holder == holder)
        longer = update(fiscal_sender).where(mine).values(lease_until=func.now() + LEASE)
        while True:
            await asyncio.sleep(LEASE.total_seconds() / 3)
            try:
                await retry_on_conflict(lambda: self._execute(longer))
            except Exception as error:
                log.exception("cannot renew the lease", exc_info=error)

    async def _execute(self, statement: Any) -> None:
        async with self._kernel.database.transaction(None) as connection:
            await connection.execute(statement)


def _of(chain: ChainKey) -> Any:
    mine = fiscal_sender.c.account_id == chain.account_id
    return and_(mine, fiscal_sender.c.installation_id == chain.installation_id)


async def _rested(ctx: Context, chain: ChainKey) -> None:
    async with ctx.transaction() as inner:
        await pacing.release_lease(inner, chain.installation_id, None)


async def _take_lease(db: AsyncConnection, chain: ChainKey, holder: UUID) -> bool:
    """Of a chain that is due and nobody's, or `holder`'s already."""
    sender = fiscal_sender.c
    free = and_(or_(sender.lease_until.is_(None), sender.lease_until < func.now()), sender.due_at <= func.now())
    statement = (
        update(fiscal_sender)
        .where(_of(chain), or_(free, sender.lease_holder == holder), sender.stopped_at.is_(None))
        .values(lease_until=func.now() + LEASE, lease_holder=holder)
        .returning(sender.installation_id)
    )
    return (await db.execute(statement)).scalar_one_or_none() is not None
