"""The sender: stored records are sent in chain order, one message at a time per chain, at the authority's pace.

A message is stored before it is sent, and its answer afterwards; between the two there is no transaction. A lease,
which is renewed while the answer is awaited, makes sure that only one process sends a chain. When that process dies,
the lease expires, and another process asks the authority which records it has, and sends the others again.
"""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

import structlog
from sqlalchemy import ColumnElement, DateTime, and_, bindparam, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.einvoice.chain.restore_detection import LastSent, SentRecords
from ledgerkit.core.einvoice.outbox import incidents, pace
from ledgerkit.core.einvoice.outbox.table import fiscal_sender
from ledgerkit.core.einvoice.transmission import answers, fiscal_messages, unknown_outcomes
from ledgerkit.core.einvoice.transmission.fiscal_messages import FiscalMessage, UnknownOutcome
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.request.clock_watch import ClockWatch, Reference
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.core.platform.request.previews import DryRun
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.problems import Unavailable
from ledgerkit.providers.api import Delivery, Receipt

LEASE = timedelta(seconds=15)
SWEEP_SECONDS = 2.0
GRACE_SECONDS = 3.0
MOST_AT_ONCE = 16
SLOW_AFTER_SECONDS = 1.0
"""Seconds after which a message no longer counts among those sent at once, so that slow answers hold up no others."""

log = structlog.get_logger()


@dataclass(frozen=True)
class ChainKey:
    """A chain by the ids of its account and its installation."""

    account_id: UUID
    installation_id: UUID


class _SendingSlot:
    """A slot that a semaphore has given; only the first call of `release` gives it back."""

    def __init__(self, slots: asyncio.Semaphore) -> None:
        self._slots: asyncio.Semaphore | None = slots

    def release(self) -> None:
        slots, self._slots = self._slots, None
        if slots is not None:
            slots.release()


class _ChainRow(Row):
    account_id: UUID
    installation_id: UUID


_IS_FREE = or_(fiscal_sender.c.lease_until.is_(None), fiscal_sender.c.lease_until < func.now())
_CHAINS = select(fiscal_sender.c.account_id, fiscal_sender.c.installation_id).limit(100)
_DUE = Prepared(
    _CHAINS.where(fiscal_sender.c.due_at <= func.now(), _IS_FREE).order_by(fiscal_sender.c.due_at), _ChainRow
)
_TO_REVIEW = Prepared(
    _CHAINS.where(fiscal_sender.c.watch_at <= bindparam("now", type_=DateTime(timezone=True))).order_by(
        fiscal_sender.c.watch_at
    ),
    _ChainRow,
)
"""Chains whose next message is due and that nobody sends, and chains to be reviewed; the longest due first."""


class Transmitter:
    """Sends the messages that are due. One per process; the database decides between processes."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._sending: dict[ChainKey, asyncio.Task[bool]] = {}
        self._reviewing: dict[ChainKey, asyncio.Task[None]] = {}
        self._sweeper: asyncio.Task[None] | None = None
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)

    async def start(self) -> None:
        """Begin to look for chains that are due, every two seconds. Other launches of a chain only save time."""
        self._sweeper = asyncio.create_task(self._sweep())

    async def stop(self) -> None:
        """Stop looking, and give messages under way three seconds for their answers.

        The other messages are sent again by the next process.
        """
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.gather(self._sweeper, return_exceptions=True)
        under_way: list[asyncio.Task[bool] | asyncio.Task[None]] = [*self._sending.values(), *self._reviewing.values()]
        if under_way:
            await asyncio.wait(under_way, timeout=GRACE_SECONDS)
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    def launch(self, chain: ChainKey) -> asyncio.Task[bool]:
        """Send the chain's next message if it is due; callers at the same time share one attempt.

        The task returns True when a message was answered. It goes on when its callers have stopped waiting.
        """
        running = self._sending.get(chain)
        if running is not None:
            return running
        task = asyncio.create_task(self._send_in_slot(chain))
        self._sending[chain] = task
        task.add_done_callback(lambda finished: self._finish(chain, finished))
        return task

    async def due_within(self, chain: ChainKey, seconds: float) -> bool:
        """Return True when the chain's next message is due within `seconds`, the authority's pause included."""
        is_due = fiscal_sender.c.due_at <= func.now() + timedelta(seconds=seconds)

        async def read() -> bool:
            async with self._kernel.database.asking() as connection:
                return bool((await connection.execute(select(is_due).where(_is_of(chain)))).scalar_one_or_none())

        return await retry_on_conflict(read)

    def in_dry_run(self, dry_run: DryRun) -> "Transmitter":
        """Return a transmitter that sends nothing."""
        return _SilentTransmitter(dry_run)

    async def _send_in_slot(self, chain: ChainKey) -> bool:
        await self._slots.acquire()
        slot = _SendingSlot(self._slots)
        release_early = asyncio.get_running_loop().call_later(SLOW_AFTER_SECONDS, slot.release)
        try:
            return await self._send_next(await accounts.system_context(self._kernel, chain.account_id), chain)
        finally:
            release_early.cancel()
            slot.release()

    def _finish(self, chain: ChainKey, task: asyncio.Task[bool]) -> None:
        del self._sending[chain]
        if not task.cancelled() and (failure := task.exception()):
            log.error("sending failed", error=repr(failure))

    # ------------------------------------------------------------ the sweep

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                to_send, to_review = await self._chains(_DUE), await self._chains(_TO_REVIEW, now=clock.now())
            except Unavailable:
                continue
            except Exception as error:
                log.exception("cannot look for what is due", exc_info=error)
                continue
            for chain in to_send:  # not awaited: one that waits for its answer must not delay the others
                self.launch(chain)
            for chain in to_review:
                self._launch_review(chain)

    async def _chains(self, statement: Prepared[_ChainRow], **parameters: object) -> list[ChainKey]:
        async def read() -> list[ChainKey]:
            async with self._kernel.database.asking() as connection:
                rows = await statement.rows(connection, **parameters)
                return [ChainKey(row.account_id, row.installation_id) for row in rows]

        return await retry_on_conflict(read)

    def _launch_review(self, chain: ChainKey) -> None:
        if chain not in self._reviewing:
            task = self._reviewing[chain] = asyncio.create_task(self._review(chain))
            task.add_done_callback(lambda _: self._reviewing.pop(chain))

    async def _review(self, chain: ChainKey) -> None:
        try:
            await incidents.review(await accounts.system_context(self._kernel, chain.account_id), chain.installation_id)
        except Unavailable:
            return
        except Exception as error:
            log.exception("cannot look at what waits", exc_info=error)

    # ------------------------------------------------------------ one message

    async def _send_next(self, ctx: Context, chain: ChainKey) -> bool:
        """Take the chain's lease, ask about an unknown outcome if there is one, and send the next message."""
        holder = uuid4()
        step = await self._prepare(ctx, chain, holder)
        if step is None:
            return False
        renewing = asyncio.create_task(self._renew_lease(chain, holder))
        try:
            if isinstance(step, UnknownOutcome):
                step = await self._settle(ctx, chain, holder, step)
            return step is not None and await self._send(ctx, holder, step)
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)

    async def _settle(
        self, ctx: Context, chain: ChainKey, holder: UUID, unknown: UnknownOutcome
    ) -> FiscalMessage | None:
        """Ask the authority what it holds, and return the message that is still to be sent.

        None when there is none, or when another unknown outcome is next, which has to wait for its turn.
        """
        assert unknown.channel.asks is not None  # noqa: S101 - only then is an outcome unknown (`next_step`)
        await unknown_outcomes.settle(ctx, unknown, unknown.channel.asks, holder)
        step = await self._prepare(ctx, chain, holder, unknown)
        if isinstance(step, UnknownOutcome):
            await ctx.transact(lambda inner: pace.release_lease(inner, chain.installation_id, None))
            return None
        return step

    async def _send(self, ctx: Context, holder: UUID, message: FiscalMessage) -> bool:
        last = message.records[-1]
        last_sent = LastSent(last.position, last.number)
        await self._kernel.service(SentRecords).remember(last.installation_id, last_sent)
        delivery = await message.channel.deliver(
            message.content,
            message.environment,
            timeout_seconds=self._kernel.settings.einvoice_timeout,
            access=message.access,
        )
        if delivery.said_at is not None:
            self._kernel.service(ClockWatch).note(Reference.AUTHORITY, delivery.said_at)
        documents = [(record.number, record.issue_date) for record in message.records]
        receipt = message.channel.read(delivery, documents)
        await self._store_answer(ctx, message, holder, delivery, receipt)
        if any(outcome.duplicate or outcome.struck_out for outcome in receipt.outcomes):
            await self._ask_about_duplicates(ctx, message, holder)
        return True

    async def _ask_about_duplicates(self, ctx: Context, message: FiscalMessage, holder: UUID) -> None:
        """Ask at once whose documents have taken the numbers of a message's records, where the authority says so.

        When that fails the records' outcome stays unknown, and they are asked about before anything else is sent.
        """
        if message.channel.asks is None:
            return
        unknown = await ctx.read(lambda inner: fiscal_messages.refused_as_duplicates(inner, message))
        if unknown is not None:
            await unknown_outcomes.settle(ctx, unknown, message.channel.asks, holder)

    async def _store_answer(
        self, ctx: Context, message: FiscalMessage, holder: UUID, delivery: Delivery, receipt: Receipt
    ) -> None:
        """Store the answer, however long PostgreSQL is away: a receipt can never be fetched again."""
        log.info(
            "records sent",
            environment=message.environment.value,
            records=len(message.records),
            states=sorted({outcome.state.value for outcome in receipt.outcomes}),
            fault=receipt.fault,
            error=delivery.error,
        )
        sent = answers.SentMessage(
            message_id=message.id,
            sent_at=message.stored_at,
            holder=holder,
            records=message.records,
            max_batch=message.channel.max_batch,
            can_query=message.channel.asks is not None,
        )
        while True:
            try:
                return await ctx.transact(lambda inner: answers.store_answer(inner, sent, delivery, receipt))
            except Unavailable:
                await asyncio.sleep(1)

    async def _prepare(
        self, ctx: Context, chain: ChainKey, holder: UUID, settled: UnknownOutcome | None = None
    ) -> FiscalMessage | UnknownOutcome | None:
        """Take the lease and return the next step; None when the lease is another's, or nothing is to be done now."""

        async def attempt(inner: Context) -> FiscalMessage | UnknownOutcome | None:
            if not await _take_lease(inner.db, chain, holder):
                return None
            return await fiscal_messages.next_step(inner, chain.installation_id, settled)

        return await ctx.transact(attempt)

    async def _renew_lease(self, chain: ChainKey, holder: UUID) -> None:
        of_holder = and_(_is_of(chain), fiscal_sender.c.lease_holder == holder)
        renewal = update(fiscal_sender).where(of_holder).values(lease_until=func.now() + LEASE)

        async def renew() -> None:
            async with self._kernel.database.transaction(None) as connection:
                await connection.execute(renewal)

        while True:
            await asyncio.sleep(LEASE.total_seconds() / 3)
            try:
                await retry_on_conflict(renew)
            except Exception as error:
                log.exception("cannot renew the lease", exc_info=error)


class _SilentTransmitter(Transmitter):
    def __init__(self, dry_run: DryRun) -> None:
        self._dry_run = dry_run

    def launch(self, chain: ChainKey) -> asyncio.Task[bool]:  # noqa: ARG002 - as of the transmitter that sends
        self._dry_run.leave_out(DryRunMsg.SENDING)
        return asyncio.create_task(_nothing_sent())

    async def due_within(self, chain: ChainKey, seconds: float) -> bool:  # noqa: ARG002 - as of the parent
        return False


async def _nothing_sent() -> bool:
    return False


def _is_of(chain: ChainKey) -> ColumnElement[bool]:
    of_account = fiscal_sender.c.account_id == chain.account_id
    return and_(of_account, fiscal_sender.c.installation_id == chain.installation_id)


async def _take_lease(db: AsyncConnection, chain: ChainKey, holder: UUID) -> bool:
    """Take the lease of a chain that is due and free; True also when `holder` has it already."""
    sender = fiscal_sender.c
    is_free_and_due = and_(_IS_FREE, sender.due_at <= func.now())
    statement = (
        update(fiscal_sender)
        .where(_is_of(chain), or_(is_free_and_due, sender.lease_holder == holder), sender.stopped_at.is_(None))
        .values(lease_until=func.now() + LEASE, lease_holder=holder)
        .returning(sender.installation_id)
    )
    return (await db.execute(statement)).scalar_one_or_none() is not None
