"""One turn of a conversation: the person who writes, what they may do, and what is said to them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from ledgerkit import clock
from ledgerkit.core.messaging.messengers.messenger import (
    Bot,
    BotMessage,
    Messenger,
    MessengerError,
    MessengerPlugin,
    Update,
)
from ledgerkit.core.messaging.queries import LinkedRow
from ledgerkit.core.messaging.table import STATE, StoredButton, StoredMessage, StoredQuestion, StoredState
from ledgerkit.core.platform.database.ids import id_of
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.acts import Money
from ledgerkit.core.platform.request.context import Actor, Channel, Context, Kernel, RequestMetadata
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.scopes import Scope, permissions_of
from ledgerkit.texts import Day, MessageId, Text, text

READS_AND_PROPOSES = permissions_of([Scope.READ, Scope.PROPOSE])
"""Rights of whatever a person writes, besides those of their role: nothing of it changes anything."""

ANSWERED_WITHIN = timedelta(minutes=15)
"""Time for which a question of the chat waits for its answer."""

Rows = Sequence[Sequence[StoredButton]]


@dataclass(frozen=True)
class Arrived:
    """An update with the bot that it was sent to. `source` names it among all updates of all bots.

    `received_at`: moment at which it was stored.
    `is_repeated`: a process has begun to handle it before. `is_last`: nobody handles it again.
    """

    kernel: Kernel
    plugin: MessengerPlugin
    messenger: Messenger
    bot: Bot
    update: Update
    source: str
    received_at: datetime
    is_repeated: bool = False
    is_last: bool = False


@dataclass
class TurnOutcome:
    """Messages that a turn ends with, and the state in which it leaves the conversation of `link`."""

    messages: list[StoredMessage] = field(default_factory=list)
    link: UUID | None = None
    state: StoredState | None = None


class Turn:
    """Turn of a linked person. `state` is that of the conversation; it is kept with the messages that were said."""

    def __init__(self, arrived: Arrived, row: LinkedRow, member: Actor) -> None:
        self.arrived = arrived
        self.kernel = arrived.kernel
        self.language = row.chat_language
        self.link_id = row.link_id
        self.state = STATE.decode(row.link_state)
        self.messages: list[StoredMessage] = []
        self._member = replace(
            member, channel=Channel.MESSAGING, client=arrived.plugin.title, connection_id=row.link_id
        )
        self._has_left = False
        self.said = ""
        """Words that are answered, with those of earlier messages that they complete."""
        self._proposals = 0

    @property
    def member(self) -> Actor:
        """The person with all rights of their role: whoever taps."""
        return self._member

    @property
    def reading(self) -> Context:
        """Context of what is written: it reads, and proposes."""
        return self._context(self._member.narrowed(READS_AND_PROPOSES))

    def proposing(self) -> Context:
        """Context of the next proposal of this turn, whose key makes the same turn propose it once."""
        self._proposals += 1
        return self._context(self._member.narrowed(READS_AND_PROPOSES), key=f"{self.arrived.source}:{self._proposals}")

    @property
    def proposal_id(self) -> UUID:
        """Id of the proposal for which `proposing` was called last; it is the same when the turn is begun again."""
        return id_of(self.arrived.received_at, f"{self.arrived.source}:{self._proposals}")

    @property
    def settling(self) -> Context:
        """Context in which the chat's own settings are changed."""
        return self._context(self._member.narrowed(READS_AND_PROPOSES), key=self.arrived.source)

    @property
    def filing(self) -> Context:
        """Context in which a picture is read and kept, which its sender wants: nothing is recorded of it."""
        rights = READS_AND_PROPOSES | {Permission.EXPENSES_WRITE, Permission.ATTACHMENTS_WRITE}
        return self._context(self._member.narrowed(rights), key=self.arrived.source)

    @property
    def deciding(self) -> Context:
        """Context of a tap without its key: for proposals that are shown again, or turned down."""
        return self._context(self._member)

    @property
    def tapping(self) -> Context:
        """Context of a tap: with all rights of the role, and the tap's key."""
        return self._context(self._member, key=self.arrived.source)

    def _context(self, actor: Actor, key: str | None = None) -> Context:
        metadata = RequestMetadata(
            request_id=self.arrived.source,
            language=self.language,
            idempotency_key=key,
            source_message=f"{self.arrived.plugin.name}:{self.arrived.update.id}",
        )
        return Context(kernel=self.kernel, who=actor, request_metadata=metadata)

    def words(self, message: MessageId, **values: object) -> str:
        """Return a text in the language of the chat."""
        return text(message, **values).in_language(self.language)

    def shown(self, words: Text) -> str:
        return words.in_language(self.language)

    def say(
        self,
        title: str = "",
        lines: Sequence[str] = (),
        buttons: Rows = (),
        *,
        replaces: str | None = None,
        invoice_pdf: str | None = None,
        draft_pdf: str | None = None,
    ) -> None:
        """Let a message be sent when the turn has ended."""
        rows = tuple(tuple(row) for row in buttons)
        message = StoredMessage(
            title=title,
            lines=tuple(lines),
            buttons=rows,
            replaces=replaces,
            invoice_pdf=invoice_pdf,
            draft_pdf=draft_pdf,
        )
        self.messages.append(message)

    async def say_now(self, words: str) -> None:
        """Say at once that something takes a while; it is no part of what is kept, and may fail."""
        with suppress(MessengerError):
            await self.arrived.messenger.send(self.arrived.update.chat, BotMessage(lines=[words]))

    def leave(self) -> None:
        """Note that the chat is not linked any more: what is said is for whoever writes there."""
        self._has_left = True

    def change_state(self, **values: Any) -> None:
        self.state = self.state.model_copy(update=values)

    def ask(self, lack: str, words: str) -> None:
        """Remember what is asked, so that the answer is read with `words`."""
        question = StoredQuestion(words=words, lack=lack, until=clock.now() + ANSWERED_WITHIN)
        self.change_state(question=question)

    def money(self, amount: Decimal, currency: str | None = None) -> str:
        return Money(amount, currency or self.member.account.currency).in_language(self.language)

    def day_of(self, moment: datetime | str) -> date:
        """Return the calendar day of a moment in the account's time zone."""
        instant = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        return instant.astimezone(ZoneInfo(self.member.account.time_zone)).date()

    def day(self, day: date) -> str:
        return Day(day).in_language(self.language)

    @property
    def outcome(self) -> TurnOutcome:
        return TurnOutcome(self.messages) if self._has_left else TurnOutcome(self.messages, self.link_id, self.state)


def button(label: str, *data: str) -> StoredButton:
    """Return a button whose data are a verb and its arguments."""
    return StoredButton(label=label, data=":".join(data))


def link_button(label: str, url: str) -> StoredButton:
    return StoredButton(label=label, url=url)


async def opened(arrived: Arrived, row: LinkedRow) -> Turn:
    """Return the turn of a linked sender, with the role and the language of this moment."""
    member = await arrived.kernel.service(Authenticator).acting(row)
    return Turn(arrived, row, member)


Parameters = Mapping[str, Any]
"""Fields of the request that is proposed, as JSON."""
