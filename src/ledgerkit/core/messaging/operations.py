"""Linked chats and their settings: link by a code, list, unlink, and choose what is sent."""

import hashlib
from datetime import datetime, timedelta
from secrets import token_urlsafe
from uuid import UUID

from ledgerkit import clock
from ledgerkit.core.einvoice.qr import picture
from ledgerkit.core.messaging import queries
from ledgerkit.core.messaging.api import (
    InstalledMessenger,
    LinkInput,
    MessagingLink,
    NewMessagingLink,
    PreferencesInput,
    StoredPreferences,
)
from ledgerkit.core.messaging.messengers.bots import Bots
from ledgerkit.core.messaging.messengers.messenger import Update
from ledgerkit.core.messaging.table import STATE, BotRow, PreferencesRow, StoredState
from ledgerkit.core.messaging.texts import MessagingMsg
from ledgerkit.core.platform import jobs
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.approvals.policies import rules
from ledgerkit.core.platform.approvals.texts import ApprovalsMsg
from ledgerkit.core.platform.credentials.mailed_links.mails import CHAT_LINKED, MAIL_PERSON
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.identity.logins.authentication import not_a_member
from ledgerkit.core.platform.identity.persons import guard
from ledgerkit.core.platform.records.texts import RecordsMsg
from ledgerkit.core.platform.request.context import Author, Channel, Context, Kernel
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, Conflict, Invalid, NotFound, PreconditionFailed
from ledgerkit.texts import languages

CODE_LIFE = timedelta(minutes=10)
MOST_CODES = 5
"""Codes of one member that may be used at the same time."""

_CODE_BYTES = 16
_QR_LEVEL = "M"
_MAIL_TRIED_FOR = timedelta(days=2)


@operation(Permission.LOGIN, unit=Unit.READING)
async def messengers(ctx: Context) -> list[InstalledMessenger]:
    """Return the messengers in which chats can be linked on this server."""
    shown = []
    for plugin in ctx.kernel.service(Bots).plugins.values():
        row = await queries.BOT.row(ctx.db, messenger=plugin.name)
        name, problem = (None, None) if row is None else (row.name, row.failure)
        shown.append(InstalledMessenger(name=plugin.name, title=plugin.title, bot_name=name, problem=problem))
    return shown


@operation(Permission.LOGIN, errors=guard.PROOF_ERRORS, sealed=True)
async def link(ctx: Context, data: LinkInput) -> NewMessagingLink:
    """Make a code by which the caller links one private chat to themselves in this account, within ten minutes.

    Raises Unauthenticated for an API key, PasswordNeeded; Invalid for a messenger that is not set up, too many codes.
    """
    guard.require_recent_password(ctx)
    bots = ctx.kernel.service(Bots)
    if data.messenger not in bots.plugins:
        raise Invalid.field("messenger", MessagingMsg.MESSENGER_UNKNOWN, known=", ".join(bots.plugins) or "-")
    member_id, now = await _membership(ctx, lock=True), clock.now()
    if (await queries.OPEN_CODES.one(ctx.db, member=member_id, now=now)).count >= MOST_CODES:
        raise Invalid(MessagingMsg.TOO_MANY_CODES, most=MOST_CODES)
    code, link_id = token_urlsafe(_CODE_BYTES), new_id()
    row = await queries.ADD_CODE.one(
        ctx.db,
        code_hash=_hash(code),
        link_id=link_id,
        messenger=data.messenger,
        membership_id=member_id,
        expires_at=now + CODE_LIFE,
    )
    bot = await queries.BOT.row(ctx.db, messenger=data.messenger)
    url = None if bot is None else bots.messengers[data.messenger].link(bot.name, code)
    qr = None if url is None else picture.data_url(url, _QR_LEVEL)
    return NewMessagingLink(id=str(link_id), code=code, url=url, qr=qr, expires_at=row.expires_at)


@operation(Permission.LOGIN, unit=Unit.READING)
async def listing(ctx: Context) -> list[MessagingLink]:
    """Return the caller's linked chats in this account, the oldest first; owners and admins see all members' chats."""
    sees_all = ctx.may(Permission.TEAM_WRITE)
    rows = await queries.SHOWN.rows(ctx.db, account=ctx.account.id)
    return [_shown(row) for row in rows if sees_all or row.user_id == ctx.actor.user_id]


async def of_person(kernel: Kernel, user_id: UUID) -> list[MessagingLink]:
    """Return the chats that act for a person, of all their accounts, the oldest first."""
    return [_shown(row) for row in await identity_queries.fetch_rows(kernel, queries.SHOWN_OF_PERSON, person=user_id)]


def _shown(row: queries.ShownLinkRow) -> MessagingLink:
    return MessagingLink(**{name: _plain(getattr(row, name)) for name in MessagingLink.model_fields})


def _plain(value: object) -> object:
    return str(value) if isinstance(value, UUID) else value


@operation(Permission.LOGIN, errors=[(NotFound, {Code.NOT_FOUND})], effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT)
async def unlink(ctx: Context, link_id: str) -> None:
    """Unlink a chat at once: one's own, or any of the account for an owner or admin. Its open proposals are rejected.

    Raises Unauthenticated for an API key, NotFound.
    """
    rows = await queries.SHOWN.rows(ctx.db, account=ctx.account.id)
    row = next((row for row in rows if str(row.id) == link_id), None)
    if row is None or (row.user_id != ctx.actor.user_id and not ctx.may(Permission.TEAM_WRITE)):
        raise NotFound(MessagingMsg.LINK_UNKNOWN)
    await _end(ctx, row)


@operation(Permission.ACCOUNT, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT)
async def leave(ctx: Context) -> None:
    """Unlink the chat that the caller writes from. Raises NotFound on every other channel."""
    row = next(
        (row for row in await queries.SHOWN.rows(ctx.db, account=ctx.account.id) if row.id == _own_chat(ctx)), None
    )
    if row is None:
        raise NotFound(MessagingMsg.LINK_UNKNOWN)
    await _end(ctx, row)


async def _end(ctx: Context, row: queries.ShownLinkRow) -> None:
    title = ctx.kernel.service(Bots).title_of(row.messenger)
    await queries.REMOVE_LINK.run(ctx.db, link=row.id)
    await approvals.reject_those_with(ctx, Author(row.user_id, None, title), ApprovalsMsg.CHAT_UNLINKED)
    await rules.forget(ctx.db, row.id)
    await activity.record(ctx, "unlinked", ("messaging_link", row.id), f"{title}: {row.external_name}")


def _own_chat(ctx: Context) -> UUID:
    """Return the link of the chat that the caller writes from. Raises NotFound on every other channel."""
    if ctx.actor.channel is not Channel.MESSAGING or ctx.actor.connection_id is None:
        raise NotFound(MessagingMsg.LINK_UNKNOWN)
    return ctx.actor.connection_id


@operation(Permission.ACCOUNT)
async def use_code(ctx: Context, code: str, update: Update, messenger: str, bot: str) -> None:
    """Link the chat of an update to the caller, whom its code names; the code is used up.

    Raises NotFound for a code that is used meanwhile, Conflict where the sender is linked already.
    """
    now = clock.now()
    row = await queries.USE_CODE.row(ctx.db, code_hash=_hash(code), now=now)
    if row is None:
        raise NotFound(MessagingMsg.LINK_UNKNOWN)
    if await queries.BY_SENDER.row(ctx.db, messenger=messenger, sender=update.sender) is not None:
        raise Conflict(MessagingMsg.LINKED_ALREADY)
    added = await queries.ADD_LINK.one(
        ctx.db,
        id=row.link_id,
        messenger=messenger,
        bot=bot,
        sender=update.sender,
        chat=update.chat,
        external_name=update.sender_name,
        membership_id=row.membership_id,
        state=STATE.encode(StoredState()),
    )
    title = ctx.kernel.service(Bots).title_of(messenger)
    await activity.record(ctx, "linked", ("messaging_link", added.id), f"{title}: {added.external_name}")
    payload = {"letter": CHAT_LINKED, "userId": str(ctx.actor.user_id), "chat": f"{title}: {added.external_name}"}
    await jobs.enqueue(ctx, MAIL_PERSON, {**payload, "until": (now + _MAIL_TRIED_FOR).isoformat()})


async def bots(kernel: Kernel) -> list[tuple[str, BotRow]]:
    """Return the bots of the messengers that are set up, each with the messenger's title. Raises Unavailable."""
    set_up = kernel.service(Bots)
    rows = [
        (set_up.title_of(name), await identity_queries.fetch_row(kernel, queries.BOT, messenger=name))
        for name in set_up.plugins
    ]
    return [(title, row) for title, row in rows if row is not None]


async def is_linked(kernel: Kernel, messenger: str, sender: str) -> bool:
    """Return True where the chat of a sender acts for somebody."""
    row = await identity_queries.fetch_row(kernel, queries.BY_SENDER, messenger=messenger, sender=sender)
    return row is not None


async def opened_code(kernel: Kernel, code: str, messenger: str) -> queries.OpenedCodeRow | None:
    """Return the member of a code for this messenger that may still be used; None for any other text."""
    row = await identity_queries.fetch_row(kernel, queries.OPENED_CODE, code_hash=_hash(code), now=clock.now())
    return row if row is not None and row.code_messenger == messenger else None


@operation(Permission.LOGIN, unit=Unit.READING)
async def preferences(ctx: Context) -> StoredPreferences:
    """Return what the caller is sent in their chats. Raises Unauthenticated for an API key."""
    return _shaped(await queries.PREFERENCES.row(ctx.db, member=await _membership(ctx)))


@operation(Permission.LOGIN, effects=Effect.IDEMPOTENT)
async def change_preferences(ctx: Context, data: PreferencesInput) -> StoredPreferences:
    """Choose what the caller is sent in their chats. Raises Unauthenticated for an API key, PreconditionFailed."""
    if data.language is not None and data.language not in languages():
        raise Invalid.field("language", MessagingMsg.LANGUAGE_UNKNOWN, known=", ".join(languages()))
    member_id = await _membership(ctx, lock=True)
    row = await queries.PREFERENCES.row(ctx.db, member=member_id)
    version = 0 if row is None else row.version
    if not ctx.request_metadata.expects(version):
        raise PreconditionFailed(RecordsMsg.VERSION_CHANGED, what="messaging settings", version=version)
    quiet_until = row.quiet_until if row is not None and data.quiet else None
    values = {"membership_id": member_id, "quiet_until": quiet_until, **data.model_dump()}
    return _shaped(await queries.STORE_PREFERENCES.one(ctx.db, **values))


@operation(Permission.ACCOUNT, effects=Effect.IDEMPOTENT)
async def set_quiet(ctx: Context, *, quiet: bool, until: datetime | None) -> None:
    """Send the person nothing unasked, until a moment or for good, or again; as they have written in their chat.

    Raises NotFound on every other channel.
    """
    await _choose(ctx, quiet=quiet, quiet_until=until if quiet else None)


@operation(Permission.ACCOUNT, effects=Effect.IDEMPOTENT)
async def set_digest(ctx: Context, hour: int | None) -> None:
    """Send the digest of the day at this hour, or none, as the person has written in their chat.

    Raises NotFound on every other channel.
    """
    chosen = {"digest": False} if hour is None else {"digest": True, "digest_hour": hour}
    await _choose(ctx, **chosen)


async def _choose(ctx: Context, **chosen: object) -> None:
    _own_chat(ctx)
    member_id = await _membership(ctx, lock=True)
    row = await queries.PREFERENCES.row(ctx.db, member=member_id)
    quiet_until = None if row is None else row.quiet_until
    present = {**_shaped(row).model_dump(exclude={"version"}), "quiet_until": quiet_until}
    await queries.STORE_PREFERENCES.one(ctx.db, membership_id=member_id, **{**present, **chosen})


def _shaped(row: PreferencesRow | None) -> StoredPreferences:
    if row is None:
        return StoredPreferences(version=0)
    is_quiet = row.quiet and (row.quiet_until is None or row.quiet_until > clock.now())
    return StoredPreferences(
        digest_hour=row.digest_hour, digest=row.digest, quiet=is_quiet, language=row.language, version=row.version
    )


async def _membership(ctx: Context, *, lock: bool = False) -> UUID:
    """Return the actor's membership in this account. Raises Forbidden NOT_TEAM_MEMBER for nobody's."""
    member_id = await members.find(ctx, str(ctx.actor.user_id), lock=lock)
    if member_id is None:
        raise not_a_member()
    return member_id


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
