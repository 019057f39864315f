"""Readers of notices: the linked members of an account who may be written to, each with their chat."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from ledgerkit import clock
from ledgerkit.core.messaging import queries
from ledgerkit.core.messaging.conversation.turn import READS_AND_PROPOSES
from ledgerkit.core.messaging.delivery import outbox
from ledgerkit.core.messaging.messengers.bots import Bots
from ledgerkit.core.messaging.table import PreferencesRow, StoredMessage
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.logins import authentication
from ledgerkit.core.platform.request.context import Actor, Channel, Context, Kernel, RequestMetadata


@dataclass(frozen=True)
class NoticeReader:
    """A member with a linked chat. `ctx` reads with their role, and proposes."""

    ctx: Context
    member: Actor
    link_id: UUID
    chat: tuple[str, str, str]
    language: str
    preferences: PreferencesRow | None

    @property
    def is_quiet(self) -> bool:
        """True where the person wants to be told nothing unasked at this moment."""
        chosen = self.preferences
        return chosen is not None and chosen.quiet and (chosen.quiet_until is None or chosen.quiet_until > clock.now())

    async def tell(self, *messages: StoredMessage) -> None:
        """Let messages be sent to the person."""
        kernel = self.ctx.kernel
        await identity_queries.change(kernel, lambda db: outbox.write(db, self.chat, self.link_id, messages))


async def of_account(kernel: Kernel, account_id: UUID) -> Sequence[NoticeReader]:
    """Return the linked members of an account, with the chats of messengers that are set up here."""
    rows = await identity_queries.fetch_rows(kernel, queries.OF_ACCOUNT, account=account_id)
    bots = kernel.service(Bots)
    return [await of_link(kernel, row) for row in rows if row.messenger in bots.messengers]


async def of_link(kernel: Kernel, row: queries.LinkedRow) -> NoticeReader:
    """Return the member of a link as a reader."""
    title = kernel.service(Bots).title_of(row.messenger)
    member = replace(authentication.actor_of(row), channel=Channel.MESSAGING, client=title, connection_id=row.link_id)
    metadata = RequestMetadata(language=row.chat_language)
    ctx = Context(kernel=kernel, who=member.narrowed(READS_AND_PROPOSES), request_metadata=metadata)
    preferences = await identity_queries.fetch_row(kernel, queries.PREFERENCES, member=row.membership_id)
    chat = (row.messenger, row.bot, row.chat)
    return NoticeReader(ctx, member, row.link_id, chat, row.chat_language, preferences)
