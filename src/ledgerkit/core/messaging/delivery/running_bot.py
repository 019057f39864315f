"""The running bot: one process at a time fetches its updates, handles them chat by chat and sends the answers."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from uuid import uuid4

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.messaging.conversation import dispatch, rendering
from ledgerkit.core.messaging.conversation.turn import Arrived, TurnOutcome
from ledgerkit.core.messaging.delivery import outbox
from ledgerkit.core.messaging.delivery.chat_queue import ChatQueue
from ledgerkit.core.messaging.delivery.inbox import LEASE, MOST_ATTEMPTS, Arrival, Inbox
from ledgerkit.core.messaging.delivery.outbox import GIVEN_UP_AFTER, Outbox
from ledgerkit.core.messaging.messengers.bots import Bots
from ledgerkit.core.messaging.messengers.messenger import (
    BlockedError,
    Bot,
    BotMessage,
    Messenger,
    MessengerError,
    MessengerPlugin,
    OtherPollerError,
    RejectedError,
    TokenError,
    UnreachableError,
    WaitError,
    Webhook,
)
from ledgerkit.core.messaging.table import MESSAGE, OutgoingRow, UpdateRow
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.problems import Problem, Unavailable

WEBHOOKS = "/messaging"
"""Path under which updates are brought."""

WORKERS = 4
"""Chats that are served at the same time."""

POLL_SECONDS = 25.0
"""Longest wait of the messenger for an update."""

SWEEP_SECONDS = 0.5
"""Time between two looks at what other processes have stored or written."""

TURN_SECONDS = 180.0
"""Longest time of one turn: reading a picture may ask a model."""

_LOOK_SECONDS = 0.05
_RENEW_SECONDS = LEASE.total_seconds() / 3
_LONGEST_PAUSE = 60.0

log = structlog.get_logger()


class _LeaseLostError(Exception):
    """Another process has taken over."""


class RunningBot:
    """One bot of one messenger. The database decides which process serves it."""

    def __init__(self, kernel: Kernel, plugin: MessengerPlugin, messenger: Messenger) -> None:
        self._kernel = kernel
        self._plugin = plugin
        self._messenger = messenger
        self._task: asyncio.Task[None] | None = None
        self._queue = ChatQueue()
        self._paused_until = 0.0
        self._served: tuple[Inbox, Outbox] | None = None

    async def start(self) -> None:
        """Begin to serve, as soon as the messenger answers and no other process serves."""
        self._task = asyncio.create_task(self._run(), name=f"messenger-{self._plugin.name}")

    async def stop(self) -> None:
        """End at once: what was not finished is handled again by the next process."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def answered(self, number: int) -> None:
        """Wait until update `number` was fetched and all that has arrived is answered; 0: until the bot is served."""
        while True:
            served = self._served
            if served is not None:
                inbox, out = served
                is_fetched = not number or (await inbox.take() or 0) > number
                if is_fetched and not await inbox.waiting() and not await out.waiting():
                    return
            await asyncio.sleep(_LOOK_SECONDS)

    async def _run(self) -> None:
        pause = 1.0
        while True:
            began = asyncio.get_running_loop().time()
            try:
                await self._serve(await self._messenger.identify())
            except* TokenError as errors:
                log.warning("messenger refuses the token", messenger=self._plugin.name, reason=_words(errors))
                pause = _LONGEST_PAUSE
            except* (MessengerError, Unavailable, _LeaseLostError) as errors:
                log.warning("messenger is not served", messenger=self._plugin.name, reason=_words(errors))
            except* Exception as errors:
                log.exception("messenger has failed", messenger=self._plugin.name, exc_info=errors)
            if asyncio.get_running_loop().time() - began > _LONGEST_PAUSE:
                pause = 1.0
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _serve(self, bot: Bot) -> None:
        """Take the lease and serve the bot until it is lost. Raises what goes wrong, in a group."""
        inbox = Inbox(self._kernel, self._plugin.name, bot, uuid4())
        while await inbox.take() is None:  # noqa: ASYNC110 - another process gives the lease up
            await asyncio.sleep(_RENEW_SECONDS)
        log.info("messenger is served", messenger=self._plugin.name, bot=bot.name)
        out = Outbox(self._kernel, self._plugin.name, bot.id)
        self._queue = ChatQueue()
        self._served = inbox, out
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._renew(inbox))
                if not await self._receives():
                    tasks.create_task(self._fetch(inbox))
                tasks.create_task(self._sweep(inbox, out))
                for _ in range(WORKERS):
                    tasks.create_task(self._work(bot, inbox, out))
        finally:
            self._served = None
            with suppress(Problem):
                await inbox.release()

    async def _receives(self) -> bool:
        """Return True where the messenger brings its updates to our address, of which it is told here."""
        receiver = self._kernel.service(Bots).receivers.get(self._plugin.name)
        if receiver is None or not isinstance(self._messenger, Webhook):
            return False
        address = f"{self._kernel.settings.public_url}{WEBHOOKS}/{self._plugin.name}/{receiver.path}"
        await self._messenger.set_webhook(address, receiver.secret)
        return True

    async def _renew(self, inbox: Inbox) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            if await inbox.take() is None:
                raise _LeaseLostError

    # ------------------------------------------------------------ what arrives

    async def _fetch(self, inbox: Inbox) -> None:
        """Fetch updates and store them, with the offset that confirms them to the messenger at the next call."""
        failing, pause = False, 1.0
        while True:
            first = await inbox.take()
            if first is None:
                raise _LeaseLostError
            try:
                updates = await self._messenger.updates(first, POLL_SECONDS)
            except WaitError as busy:
                await asyncio.sleep(busy.seconds)
                continue
            except (UnreachableError, OtherPollerError) as error:
                kind = "other_poller" if isinstance(error, OtherPollerError) else "unreachable"
                if not failing:
                    log.warning("messenger gives no updates", messenger=self._plugin.name, reason=str(error))
                await inbox.note(kind, str(error))
                failing = True
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            if failing:
                await inbox.note(None)
                failing, pause = False, 1.0
            arrivals = [
                Arrival(number, event.chat, content)
                for number, content in updates
                if (event := self._messenger.read(content)) is not None
            ]
            if updates and not await inbox.store(arrivals, max(number for number, _ in updates) + 1):
                raise _LeaseLostError
            for arrival in arrivals:
                self._queue.add(arrival.chat)

    async def _sweep(self, inbox: Inbox, out: Outbox) -> None:
        """Look for updates of a former process or of the webhook, and for messages that others have written."""
        while True:
            for chat in [*await inbox.waiting(), *await out.waiting()]:
                self._queue.add(chat)
            await asyncio.sleep(SWEEP_SECONDS)

    # ------------------------------------------------------------ one chat at a time

    async def _work(self, bot: Bot, inbox: Inbox, out: Outbox) -> None:
        while True:
            chat = await self._queue.take()
            try:
                await self._send_all(out, chat)
                row = await inbox.take_next(chat)
                if row is not None:
                    await self._handle(bot, inbox, row)
                    self._queue.add(chat)
            except Unavailable:  # the sweep comes back to it
                await asyncio.sleep(1.0)
            finally:
                self._queue.done(chat)

    async def _handle(self, bot: Bot, inbox: Inbox, row: UpdateRow) -> None:
        """Handle an update, and keep what comes of it in one transaction. Raises Unavailable: it is tried again."""
        outcome = await self._outcome(bot, row)

        async def keep(db: AsyncConnection) -> None:
            await inbox.end(db, row.number)
            chat = (self._plugin.name, bot.id, row.chat)
            await outbox.write(db, chat, await dispatch.keep(db, outcome), outcome.messages)

        await identity_queries.change(self._kernel, keep)

    async def _outcome(self, bot: Bot, row: UpdateRow) -> TurnOutcome:
        update = None if row.content is None else self._messenger.read(row.content)
        if update is None:
            return TurnOutcome()
        source = f"{self._plugin.name}:{bot.id}:{row.number}"
        arrived = Arrived(self._kernel, self._plugin, self._messenger, bot, update, source)
        if row.attempts > MOST_ATTEMPTS:
            log.error("update is given up", source=source)
            return await dispatch.broken(arrived)
        try:
            return await asyncio.wait_for(dispatch.handle(arrived), TURN_SECONDS)
        except Unavailable:
            raise
        except Exception as error:
            log.exception("turn has failed", source=source, exc_info=error)
            return await dispatch.broken(arrived)

    # ------------------------------------------------------------ what is sent

    async def _send_all(self, out: Outbox, chat: str) -> None:
        """Send the messages of a chat in their order, as long as the messenger takes them."""
        now = asyncio.get_running_loop().time()
        while now >= self._paused_until and (row := await out.first(chat)) is not None and row.due_at <= clock.now():
            try:
                await self._send(row)
            except WaitError as busy:
                self._paused_until = asyncio.get_running_loop().time() + busy.seconds
                await out.put_off(row.id, timedelta(seconds=busy.seconds))
                return
            except UnreachableError as error:
                if clock.now() - row.created_at < GIVEN_UP_AFTER:
                    await out.put_off(row.id, timedelta(seconds=min(2.0**row.attempts, 300.0)))
                    return
                log.warning("message is given up", messenger=self._plugin.name, reason=str(error))
            except BlockedError:
                await dispatch.left(self._kernel, self._plugin, row.link_id)
            except RejectedError as error:
                log.warning("message is refused", messenger=self._plugin.name, reason=str(error))
            await out.remove(row.id)

    async def _send(self, row: OutgoingRow) -> None:
        stored = MESSAGE.decode(row.content)
        message: BotMessage = await rendering.outgoing(self._kernel, stored, row.link_id)
        if stored.replaces is not None:
            with suppress(RejectedError):  # the message is gone: it is sent as a new one
                await self._messenger.replace(row.chat, stored.replaces, message)
                return
        await self._messenger.send(row.chat, message)


def _words(errors: BaseExceptionGroup[BaseException]) -> str:
    return "; ".join(str(error) or type(error).__name__ for error in errors.exceptions)
