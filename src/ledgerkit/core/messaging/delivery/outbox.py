"""Messages that wait to be sent: written with what they tell, sent in the order of each chat, and then deleted."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy import Interval, Text, Uuid, bindparam, delete, exists, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.messaging.table import MESSAGE, OutgoingRow, StoredMessage, messaging_bot, messaging_outgoing
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.request.context import Kernel

GIVEN_UP_AFTER = timedelta(days=1)
"""Age at which a message that cannot be sent is deleted: nobody wants to read it then."""

_OF_BOT = (
    messaging_outgoing.c.messenger == bindparam("messenger", type_=Text),
    messaging_outgoing.c.bot == bindparam("bot", type_=Text),
)
_IS_SERVED = exists().where(
    messaging_bot.c.messenger == messaging_outgoing.c.messenger,
    messaging_bot.c.bot == messaging_outgoing.c.bot,
    messaging_bot.c.holder == bindparam("process", type_=Uuid),
)
"""The process has the lease of the message's bot."""

_ADD = Prepared(insert(messaging_outgoing), columns=["id", "messenger", "bot", "chat", "link_id", "content"])
_FIRST = Prepared(
    select(messaging_outgoing)
    .where(*_OF_BOT, messaging_outgoing.c.chat == bindparam("chat", type_=Text), _IS_SERVED)
    .order_by(messaging_outgoing.c.id)
    .limit(1),
    OutgoingRow,
)
_IS_MESSAGE = messaging_outgoing.c.id == bindparam("id", type_=Uuid)
_REMOVE = Prepared(delete(messaging_outgoing).where(_IS_MESSAGE))
_PUT_OFF = Prepared(
    update(messaging_outgoing)
    .where(_IS_MESSAGE)
    .values(due_at=func.now() + bindparam("delay", type_=Interval()), attempts=messaging_outgoing.c.attempts + 1)
)


class _ChatRow(Row):
    chat: str


_WAITING = Prepared(
    select(messaging_outgoing.c.chat)
    .where(*_OF_BOT)
    .group_by(messaging_outgoing.c.chat)
    .having(func.min(messaging_outgoing.c.due_at) <= func.now())
    .order_by(func.min(messaging_outgoing.c.created_at)),
    _ChatRow,
)


async def write(
    db: AsyncConnection, chat: tuple[str, str, str], link: UUID | None, messages: Sequence[StoredMessage]
) -> None:
    """Let messages wait for a chat (messenger, bot, chat), in the transaction of what they tell."""
    messenger, bot, number = chat
    for message in messages:
        content = MESSAGE.encode(message)
        await _ADD.run(db, id=new_id(), messenger=messenger, bot=bot, chat=number, link_id=link, content=content)


class Outbox:
    """Messages of one bot, which one process at a time sends."""

    def __init__(self, kernel: Kernel, messenger: str, bot: str, holder: UUID) -> None:
        self._kernel = kernel
        self._bot = {"messenger": messenger, "bot": bot}
        self._holder = holder

    async def waiting(self) -> list[str]:
        """Return the chats with messages that may be sent now, the longest waiting first."""
        rows = await identity_queries.fetch_rows(self._kernel, _WAITING, **self._bot)
        return [row.chat for row in rows]

    async def first(self, chat: str) -> OutgoingRow | None:
        """Return the message that is sent next in a chat; None where none waits, or without the lease."""
        values = {**self._bot, "process": self._holder, "chat": chat}
        return await identity_queries.fetch_row(self._kernel, _FIRST, **values)

    async def after(self, message: OutgoingRow) -> OutgoingRow | None:
        """Remove a message that was sent or given up, and return the next one of its chat, as `first` does."""
        values = {**self._bot, "process": self._holder, "chat": message.chat}

        async def attempt(db: AsyncConnection) -> OutgoingRow | None:
            await _REMOVE.run(db, id=message.id)
            return await _FIRST.row(db, **values)

        return await identity_queries.change(self._kernel, attempt)

    async def put_off(self, message: UUID, delay: timedelta) -> None:
        """Let a message wait for a while after an attempt that has failed."""
        await identity_queries.change(self._kernel, lambda db: _PUT_OFF.run(db, id=message, delay=delay))
