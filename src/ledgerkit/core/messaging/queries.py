"""Linked chats and bots: read and changed before an account is known."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import DateTime, Select, Text, Uuid, bindparam, delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from ledgerkit.core.messaging.table import (
    BotRow,
    LinkCodeRow,
    LinkRow,
    PreferencesRow,
    StoredState,
    messaging_bot,
    messaging_link,
    messaging_link_code,
    messaging_preferences,
)
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.identity.logins.authentication import ActorRow, members

_member = members()
_NOW = bindparam("now", type_=DateTime(timezone=True))
_MEMBER = bindparam("member", type_=Uuid)
_ACCOUNT = bindparam("account", type_=Uuid)
_MESSENGER = bindparam("messenger", type_=Text)
_IS_LINK = messaging_link.c.id == bindparam("link", type_=Uuid)


class LinkedRow(ActorRow):
    """A member with the chat that acts for them, and its language: the one chosen for it, or else the person's own."""

    link_id: UUID
    messenger: str
    bot: str
    chat: str
    link_state: StoredJson[StoredState]
    chat_language: str


class ShownLinkRow(Row):
    """A link as lists show it, without what identifies the chat."""

    id: UUID
    messenger: str
    external_name: str
    user_id: UUID
    user_name: str
    linked_at: datetime
    last_seen_at: datetime | None


class OpenedCodeRow(ActorRow):
    """A code that may still be used, with the member whom it links."""

    code_hash: str
    link_id: UUID
    code_messenger: str
    chat_language: str


_CHAT_LANGUAGE = func.coalesce(messaging_preferences.c.language, _member.c.user_language).label("chat_language")

_LINKED: Select[object] = (
    select(
        *_member.c,
        messaging_link.c.id.label("link_id"),
        messaging_link.c.messenger,
        messaging_link.c.bot,
        messaging_link.c.chat,
        messaging_link.c.state.label("link_state"),
        _CHAT_LANGUAGE,
    )
    .select_from(messaging_link)
    .join(_member, _member.c.membership_id == messaging_link.c.membership_id)
    .outerjoin(messaging_preferences, messaging_preferences.c.membership_id == messaging_link.c.membership_id)
)
BY_SENDER = Prepared(
    _LINKED.where(messaging_link.c.messenger == _MESSENGER, messaging_link.c.sender == bindparam("sender", type_=Text)),
    LinkedRow,
)
BY_LINK = Prepared(_LINKED.where(_IS_LINK), LinkedRow)
OF_ACCOUNT = Prepared(_LINKED.where(_member.c.id == _ACCOUNT).order_by(messaging_link.c.id), LinkedRow)
"""Chat of a sender, chat of a link, and all chats of an account."""

_SHOWN = (
    select(
        *(messaging_link.c[name] for name in ("id", "messenger", "external_name")),
        _member.c.user_id,
        _member.c.user_name,
        messaging_link.c.linked_at,
        messaging_link.c.last_seen_at,
    )
    .join(_member, _member.c.membership_id == messaging_link.c.membership_id)
    .order_by(messaging_link.c.id)
)
SHOWN = Prepared(_SHOWN.where(_member.c.id == _ACCOUNT), ShownLinkRow)
SHOWN_OF_PERSON = Prepared(_SHOWN.where(_member.c.user_id == bindparam("person", type_=Uuid)), ShownLinkRow)
"""Links of an account, and those of a person in all their accounts."""

OPENED_CODE = Prepared(
    select(
        *_member.c,
        messaging_link_code.c.code_hash,
        messaging_link_code.c.link_id,
        messaging_link_code.c.messenger.label("code_messenger"),
        _CHAT_LANGUAGE,
    )
    .select_from(messaging_link_code)
    .join(_member, _member.c.membership_id == messaging_link_code.c.membership_id)
    .outerjoin(messaging_preferences, messaging_preferences.c.membership_id == messaging_link_code.c.membership_id)
    .where(
        messaging_link_code.c.code_hash == bindparam("code_hash", type_=Text),
        messaging_link_code.c.used_at.is_(None),
        messaging_link_code.c.expires_at > _NOW,
    ),
    OpenedCodeRow,
)
ADD_CODE = Prepared(
    insert(messaging_link_code).returning(messaging_link_code),
    LinkCodeRow,
    columns=["code_hash", "link_id", "messenger", "membership_id", "expires_at"],
)
USE_CODE = Prepared(
    update(messaging_link_code)
    .where(
        messaging_link_code.c.code_hash == bindparam("code_hash", type_=Text),
        messaging_link_code.c.used_at.is_(None),
        messaging_link_code.c.expires_at > _NOW,
    )
    .values(used_at=_NOW)
    .returning(messaging_link_code),
    LinkCodeRow,
)


class OpenCodesRow(Row):
    count: int


OPEN_CODES = Prepared(
    select(func.count().label("count"))
    .select_from(messaging_link_code)
    .where(
        messaging_link_code.c.membership_id == _MEMBER,
        messaging_link_code.c.used_at.is_(None),
        messaging_link_code.c.expires_at > _NOW,
    ),
    OpenCodesRow,
)
ADD_LINK = Prepared(
    insert(messaging_link).returning(messaging_link),
    LinkRow,
    columns=["id", "messenger", "bot", "sender", "chat", "external_name", "membership_id", "state"],
)
REMOVE_LINK = Prepared(delete(messaging_link).where(_IS_LINK).returning(messaging_link), LinkRow)
BOT = Prepared(
    select(messaging_bot)
    .where(messaging_bot.c.messenger == _MESSENGER)
    .order_by(messaging_bot.c.lease_until.desc().nulls_last(), messaging_bot.c.received_at.desc().nulls_last())
    .limit(1),
    BotRow,
)
"""Bot of a messenger that was fetched for last: another token may have been another bot's."""

PREFERENCES = Prepared(
    select(messaging_preferences).where(messaging_preferences.c.membership_id == _MEMBER), PreferencesRow
)
_CHOSEN = ("digest", "digest_hour", "quiet", "quiet_until", "language")
_stored = upsert(messaging_preferences)
STORE_PREFERENCES = Prepared(
    _stored.on_conflict_do_update(
        index_elements=["membership_id"],
        set_={**{name: _stored.excluded[name] for name in _CHOSEN}, "version": messaging_preferences.c.version + 1},
    ).returning(messaging_preferences),
    PreferencesRow,
    columns=["membership_id", *_CHOSEN],
)
