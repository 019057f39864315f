"""Updates as they are kept: stored with the offset that they move, handled once, and then forgotten but for numbers."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import BigInteger, Text, Uuid, bindparam, case, delete, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.messaging.messengers.messenger import Bot, Json
from ledgerkit.core.messaging.table import BotRow, UpdateRow, messaging_bot, messaging_update
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.request.context import Kernel

LEASE = timedelta(seconds=15)
"""Time for which a process fetches for a bot without renewing that."""

MOST_ATTEMPTS = 5
"""Attempts to handle one update."""

_KEPT = timedelta(days=2)
"""Time for which the numbers of handled updates are kept; a messenger repeats an update for a day at most."""

_NUMBERED_FOR = timedelta(days=6)
"""Time without updates after which their numbers may begin anew."""

_MESSENGER, _BOT = bindparam("messenger", type_=Text), bindparam("bot", type_=Text)
_PROCESS = bindparam("process", type_=Uuid)
_OF_BOT = (messaging_update.c.messenger == _MESSENGER, messaging_update.c.bot == _BOT)
_HELD = (messaging_bot.c.messenger == _MESSENGER, messaging_bot.c.bot == _BOT, messaging_bot.c.holder == _PROCESS)

_TAKE = Prepared(
    text(
        "insert into messaging_bot (messenger, bot, name, holder, lease_until)"
        " values (:messenger, :bot, :name, :holder, now() + cast(:lease as interval))"
        " on conflict (messenger, bot) do update set name = excluded.name, holder = excluded.holder,"
        " lease_until = excluded.lease_until where messaging_bot.lease_until is null"
        " or messaging_bot.lease_until < now() or messaging_bot.holder = excluded.holder returning *"
    ).columns(*messaging_bot.c),
    BotRow,
)
_RELEASE = Prepared(update(messaging_bot).where(*_HELD).values(holder=None, lease_until=None))
_MOVE = Prepared(
    update(messaging_bot)
    .where(*_HELD)
    .values(next_update=bindparam("next", type_=BigInteger), received_at=func.now())
    .returning(messaging_bot),
    BotRow,
)
_NOTE_FAILURE = Prepared(
    update(messaging_bot)
    .where(messaging_bot.c.messenger == _MESSENGER, messaging_bot.c.bot == _BOT)
    .values(
        failure=bindparam("kind", type_=Text),
        detail=bindparam("words", type_=Text),
        failed_at=case((bindparam("kind", type_=Text).is_(None), None), else_=func.now()),
    )
)
_STORE = Prepared(
    text(
        "insert into messaging_update (messenger, bot, number, chat, content)"
        " select :messenger, :bot, (entry->>'number')::bigint, entry->>'chat', entry->'content'"
        " from json_array_elements(cast(:entries as json)) as entry on conflict do nothing"
    ).bindparams(_MESSENGER, _BOT, bindparam("entries", type_=Text))
)
_BEGIN = Prepared(
    text(
        "update messaging_update set attempts = attempts + 1 where (messenger, bot, number) = (select messenger, bot,"
        " number from messaging_update where messenger = :messenger and bot = :bot and chat = :chat"
        " and handled_at is null order by number limit 1) and exists (select from messaging_bot"
        " where messenger = :messenger and bot = :bot and holder = :process) returning *"
    )
    .bindparams(_MESSENGER, _BOT, _PROCESS, bindparam("chat", type_=Text))
    .columns(*messaging_update.c),
    UpdateRow,
)
_END = Prepared(
    update(messaging_update)
    .where(
        *_OF_BOT,
        messaging_update.c.number == bindparam("number", type_=BigInteger),
        messaging_update.c.handled_at.is_(None),
    )
    .values(handled_at=func.now(), content=None)
    .returning(messaging_update),
    UpdateRow,
)


class _ChatRow(Row):
    chat: str


_WAITING = Prepared(
    select(messaging_update.c.chat)
    .where(*_OF_BOT, messaging_update.c.handled_at.is_(None))
    .group_by(messaging_update.c.chat)
    .order_by(func.min(messaging_update.c.number)),
    _ChatRow,
)


_LAST_BOT = Prepared(
    select(messaging_bot)
    .where(messaging_bot.c.messenger == _MESSENGER)
    .order_by(messaging_bot.c.lease_until.desc().nulls_last())
    .limit(1),
    BotRow,
)


class Arrival(NamedTuple):
    """An update as the messenger sent it, with its number and its chat."""

    number: int
    chat: str
    content: Json


class Inbox:
    """Updates of one bot, which one process at a time fetches."""

    def __init__(self, kernel: Kernel, messenger: str, bot: Bot, holder: UUID) -> None:
        self._kernel = kernel
        self._bot = {"messenger": messenger, "bot": bot.id}
        self._name = bot.name
        self._holder = holder

    async def take(self) -> int | None:
        """Take or renew the lease and return the number of the first update to fetch; None while another has it.

        Telegram numbers updates anew after a week without any: after six days all that it keeps are fetched, and none
        was handled yet. Source: https://core.telegram.org/bots/api#update.
        """
        values = {**self._bot, "name": self._name, "holder": self._holder, "lease": LEASE}

        async def attempt(db: AsyncConnection) -> BotRow | None:
            return await _TAKE.row(db, **values)

        row = await identity_queries.change(self._kernel, attempt)
        if row is None:
            return None
        is_silent = row.received_at is not None and row.received_at < clock.now() - _NUMBERED_FOR
        return 0 if is_silent else row.next_update

    async def release(self) -> None:
        """Let another process take over at once."""
        await identity_queries.change(self._kernel, lambda db: _RELEASE.run(db, **self._bot, process=self._holder))

    async def store(self, arrivals: Sequence[Arrival], following: int | None) -> bool:
        """Store updates; those that are known already are left out.

        With `following` the offset moves in the same transaction, if this process still has the lease; False if not.
        """
        entries = [arrival._asdict() for arrival in arrivals]

        async def attempt(db: AsyncConnection) -> bool:
            if following is not None:
                moved = await _MOVE.row(db, **self._bot, process=self._holder, next=following)
                if moved is None:
                    return False
            if entries:
                await _STORE.run(db, **self._bot, entries=json.dumps(entries))
            return True

        return await identity_queries.change(self._kernel, attempt)

    async def waiting(self) -> list[str]:
        """Return the chats with updates that wait, the longest waiting first."""
        rows = await identity_queries.fetch_rows(self._kernel, _WAITING, **self._bot)
        return [row.chat for row in rows]

    async def take_next(self, chat: str) -> UpdateRow | None:
        """Return the oldest update of a chat that waits, and count the attempt; None without one, or the lease."""
        values = {**self._bot, "process": self._holder, "chat": chat}
        return await identity_queries.change(self._kernel, lambda db: _BEGIN.row(db, **values))

    async def end(self, db: AsyncConnection, number: int) -> bool:
        """Note that an update was handled, in a transaction of whoever has handled it.

        False where another process has handled it, which has taken over meanwhile.
        """
        return await _END.row(db, **self._bot, number=number) is not None

    async def note(self, failure: str | None, detail: str | None = None) -> None:
        """Note what the messenger refused, for the operator and the settings; None for nothing."""
        await note_failure(self._kernel, self._bot["messenger"], self._bot["bot"], failure, detail)


async def note_failure(
    kernel: Kernel, messenger: str, bot: str, failure: str | None, detail: str | None = None
) -> None:
    """Note of a bot that was served before what the messenger refused; None for nothing."""
    words = None if detail is None else detail[:500]
    values = {"messenger": messenger, "bot": bot, "kind": failure, "words": words}
    await identity_queries.change(kernel, lambda db: _NOTE_FAILURE.run(db, **values))


async def keep(kernel: Kernel, messenger: str, arrival: Arrival) -> bool:
    """Store an update that the messenger has brought; False while it is not known which bot that is."""
    entries = json.dumps([arrival._asdict()])

    async def attempt(db: AsyncConnection) -> bool:
        bot = await _LAST_BOT.row(db, messenger=messenger)
        if bot is not None:
            await _STORE.run(db, messenger=messenger, bot=bot.bot, entries=entries)
        return bot is not None

    return await identity_queries.change(kernel, attempt)


async def forget(kernel: Kernel) -> None:
    """Forget the numbers of updates that were handled long ago."""
    old = messaging_update.c.handled_at < clock.now() - _KEPT
    await identity_queries.execute(kernel, delete(messaging_update).where(old))
