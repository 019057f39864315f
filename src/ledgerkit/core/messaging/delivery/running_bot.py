"""The running bot: one process at a time fetches its updates, handles them chat by chat and sends the answers."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from uuid import uuid4

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.messaging import queries
from ledgerkit.core.messaging.conversation import dispatch, rendering
from ledgerkit.core.messaging.conversation.turn import Arrived, TurnOutcome
from ledgerkit.core.messaging.delivery import outbox
from ledgerkit.core.messaging.delivery.chat_queue import ChatQueue
from ledgerkit.core.messaging.delivery.inbox import LEASE, MOST_ATTEMPTS, Arrival, Inbox, note_failure
from ledgerkit.core.messaging.delivery.outbox import GIVEN_UP_AFTER, Outbox
from ledgerkit.core.messaging.delivery.pacing import Paced
from ledgerkit.core.messaging.delivery.webhooks import WEBHOOKS
from ledgerkit.core.messaging.messengers.bots import Bots
from ledgerkit.core.messaging.messengers.messenger import (
    BlockedError,
    Bot,
    Json,
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
from ledgerkit.core.messaging.table import MESSAGE, UPDATE, OutgoingRow, UpdateRow
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.problems import Problem, Unavailable

WORKERS = 4
"""Chats that are served at the same time."""

POLL_SECONDS = 25.0
"""Longest wait of the messenger for an update."""

SWEEP_SECONDS = 0.5
"""Time between two looks at what other processes have stored or written."""

TURN_SECONDS = 180.0
"""Longest time of one turn: reading a picture may ask a model."""

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Pauses after a failure of the messenger: each is twice as long as the one before."""

RENEW_SECONDS = LEASE.total_seconds() / 3
"""Time between two renewals of the lease, or between two looks at the lease of another process."""

_LOOK_SECONDS = 0.05
_MOST_DOUBLINGS = 8
_PATIENCE = 5
"""Attempts to send a message with its document; after them it is sent without one that cannot be made."""

log = structlog.get_logger()


class _LeaseLostError(Exception):
    """Another process has taken over."""


class RunningBot:
    """One bot of one messenger. The database decides which process serves it."""

    def __init__(self, kernel: Kernel, plugin: MessengerPlugin, messenger: Messenger) -> None:
        self._kernel = kernel
        self._plugin = plugin
        self._messenger = Paced(messenger)
        self._webhook = messenger if isinstance(messenger, Webhook) else None
        self._bot: Bot | None = None
        self._is_ending = False
        self._task: asyncio.Task[None] | None = None
        self._queue = ChatQueue()
        self._served: tuple[Inbox, Outbox] | None = None

    async def start(self) -> None:
        """Begin to serve, as soon as the messenger answers and no other process serves."""
        self._task = asyncio.create_task(self._run(), name=f"messenger-{self._plugin.name}")

    async def stop(self) -> None:
        """End at once: what was not finished is handled again by the next process."""
        self._is_ending = True
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
        pause = FIRST_PAUSE
        while True:
            began = asyncio.get_running_loop().time()
            try:
                self._bot = await self._messenger.identify()
                await self._serve(self._bot)
            except* TokenError as errors:
                log.warning("messenger refuses the token", messenger=self._plugin.name, reason=_words(errors))
                await self._note_token(_words(errors))
                pause = LONGEST_PAUSE
            except* (MessengerError, Unavailable, _LeaseLostError) as errors:
                log.warning("messenger is not served", messenger=self._plugin.name, reason=_words(errors))
            except* Exception as errors:
                log.exception("messenger has failed", messenger=self._plugin.name, exc_info=errors)
            if self._is_ending:  # a failure in the same moment has taken the cancellation's place
                return
            if asyncio.get_running_loop().time() - began > LONGEST_PAUSE:
                pause = FIRST_PAUSE
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _note_token(self, words: str) -> None:
        """Note that the token is refused, of the bot that it was, or else of the one that was served last."""
        with suppress(Unavailable):
            name = self._plugin.name
            row = await identity_queries.fetch_row(self._kernel, queries.BOT, messenger=name)
            bot = self._bot.id if self._bot is not None else None if row is None else row.bot
            if bot is not None:
                await note_failure(self._kernel, name, bot, "token", words)

    async def _serve(self, bot: Bot) -> None:
        """Take the lease and serve the bot until it is lost. Raises what goes wrong, in a group."""
        process = uuid4()
        inbox = Inbox(self._kernel, self._plugin.name, bot, process)
        while await inbox.take() is None:  # noqa: ASYNC110 - another process gives the lease up
            await asyncio.sleep(RENEW_SECONDS)
        log.info("messenger is served", messenger=self._plugin.name, bot=bot.name)
        out = Outbox(self._kernel, self._plugin.name, bot.id, process)
        self._queue = ChatQueue()
        self._served = inbox, out
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._renew(inbox))
                if not await self._receives(inbox):
                    tasks.create_task(self._fetch(inbox))
                tasks.create_task(self._sweep(inbox, out))
                for _ in range(WORKERS):
                    tasks.create_task(self._work(bot, inbox, out))
        finally:
            self._served = None
            with suppress(Problem):
                await inbox.release()

    async def _receives(self, inbox: Inbox) -> bool:
        """Return True where the messenger brings its updates to our address, of which it is told here.

        Raises MessengerError, which is noted, where it does not take the address.
        """
        receiver = self._kernel.service(Bots).receivers.get(self._plugin.name)
        if receiver is None or self._webhook is None:
            return False
        address = f"{self._kernel.settings.public_url}{WEBHOOKS}/{self._plugin.name}/{receiver.path}"
        try:
            await self._webhook.set_webhook(address, receiver.secret)
        except MessengerError as error:
            await inbox.note("webhook", str(error))
            raise
        await inbox.note(None)
        return True

    async def _renew(self, inbox: Inbox) -> None:
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            if await inbox.take() is None:
                raise _LeaseLostError

    # ------------------------------------------------------------ what arrives

    async def _fetch(self, inbox: Inbox) -> None:
        """Fetch updates and store them, with the offset that confirms them to the messenger at the next call."""
        failing, pause = False, FIRST_PAUSE
        is_noted = True  # a former process may have noted a failure
        following: int | None = None
        while True:
            first = await inbox.take() if following is None else following
            following = None
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
                failing = is_noted = True
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            if is_noted:
                await inbox.note(None)
            failing, is_noted, pause = False, False, FIRST_PAUSE
            following = await self._stored(inbox, updates)

    async def _stored(self, inbox: Inbox, updates: Sequence[tuple[int, Json]]) -> int | None:
        """Store updates, let their chats be served, and return the number that follows; None where there are none.

        Raises _LeaseLostError.
        """
        if not updates:
            return None
        arrivals = [
            Arrival(number, event.chat, content)
            for number, content in updates
            if (event := self._messenger.read(content)) is not None
        ]
        following = max(number for number, _ in updates) + 1
        if not await inbox.store(arrivals, following):
            raise _LeaseLostError
        for arrival in arrivals:
            self._queue.add(arrival.chat)
        return following

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
                await asyncio.sleep(FIRST_PAUSE)
            except MessengerError:
                raise
            except Exception as error:  # of one chat, which the others do not wait for
                log.exception("chat is not served", messenger=self._plugin.name, exc_info=error)
                await asyncio.sleep(FIRST_PAUSE)
            finally:
                self._queue.done(chat)

    async def _handle(self, bot: Bot, inbox: Inbox, row: UpdateRow) -> None:
        """Handle an update, and keep what comes of it in one transaction. Raises Unavailable: it is tried again."""
        outcome = await self._outcome(bot, row)

        async def keep(db: AsyncConnection) -> None:
            if not await inbox.end(db, row.number):
                return
            link = await dispatch.keep(db, outcome)
            if link == outcome.link:  # who was unlinked meanwhile is told nothing more of the books
                await outbox.write(db, (self._plugin.name, bot.id, row.chat), link, outcome.messages)

        await identity_queries.change(self._kernel, keep)

    async def _outcome(self, bot: Bot, row: UpdateRow) -> TurnOutcome:
        update = None if row.content is None else self._messenger.read(UPDATE.decode(row.content))
        if update is None:
            return TurnOutcome()
        source = f"{self._plugin.name}:{bot.id}:{row.number}"
        arrived = Arrived(
            self._kernel,
            self._plugin,
            self._messenger,
            bot,
            update,
            source,
            row.received_at,
            is_repeated=row.attempts > 1,
            is_last=row.attempts >= MOST_ATTEMPTS,
        )
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
        row = await out.first(chat)
        while row is not None and row.due_at <= clock.now():
            try:
                await self._send(row)
            except (WaitError, UnreachableError, Unavailable) as error:
                if clock.now() - row.created_at < GIVEN_UP_AFTER:
                    await out.put_off(row.id, _delay(row, error))
                    return
                log.warning("message is given up", messenger=self._plugin.name, reason=str(error))
            except BlockedError:
                await dispatch.left(self._kernel, self._plugin, row.link_id)
            except RejectedError as error:
                log.warning("message is refused", messenger=self._plugin.name, reason=str(error))
            except MessengerError:
                raise
            except Exception as error:  # it never could be sent, and those after it wait
                log.exception("message cannot be made", messenger=self._plugin.name, exc_info=error)
            row = await out.after(row)

    async def _send(self, row: OutgoingRow) -> None:
        stored = MESSAGE.decode(row.content)
        is_patient = row.attempts < _PATIENCE
        message = await rendering.outgoing(self._kernel, stored, row.link_id, is_patient=is_patient)
        if stored.replaces is not None:
            with suppress(RejectedError):  # the message is gone: it is sent as a new one
                await self._messenger.replace(row.chat, stored.replaces, message)
                return
        await self._messenger.send(row.chat, message)


def _delay(row: OutgoingRow, error: MessengerError | Unavailable) -> timedelta:
    """Return the time until a message is tried again: as the messenger asks, else twice as long each time."""
    if isinstance(error, WaitError):
        return timedelta(seconds=error.seconds)
    return timedelta(seconds=FIRST_PAUSE * 2.0 ** min(row.attempts, _MOST_DOUBLINGS))


def _words(errors: BaseExceptionGroup[BaseException]) -> str:
    return "; ".join(str(error) or type(error).__name__ for error in errors.exceptions)
