"""Linking of a chat by a code, and what is said to people who are not linked: one neutral line, and not often."""

import re
from dataclasses import replace

from ledgerkit.core.messaging import operations as messaging
from ledgerkit.core.messaging.conversation.turn import Arrived, TurnOutcome
from ledgerkit.core.messaging.messengers.messenger import Text
from ledgerkit.core.messaging.queries import LinkedRow, OpenedCodeRow
from ledgerkit.core.messaging.table import StoredMessage
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.identity.limits.throttle import STRANGERS, Throttle
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Channel, Context, RequestMetadata
from ledgerkit.core.teams.acts import ROLES
from ledgerkit.problems import Conflict, NotFound, RateLimited
from ledgerkit.texts import ENGLISH, MessageId, languages, text

_START = re.compile(r"/start(?:@\w+)?\s+(?P<code>[A-Za-z0-9_-]{22})\s*|(?P<bare>[A-Za-z0-9_-]{22})\s*")
"""Command that carries a code, and the code alone as a person types it; 128 bits in base64url have 22 characters."""


def code_in(words: str) -> str | None:
    """Return the code that a message carries; None for any other message."""
    command = _START.fullmatch(words.strip())
    return None if command is None else command["code"] or command["bare"]


async def link(arrived: Arrived, code: str, linked: LinkedRow | None) -> TurnOutcome:
    """Link the chat to the member of the code. A sender who is linked already is not linked a second time."""
    if not await _may_try(arrived):
        return TurnOutcome()
    opened = await messaging.opened_code(arrived.kernel, code, arrived.plugin.name)
    if linked is not None:
        same = opened is not None and opened.membership_id == linked.membership_id
        reply = ChatMsg.LINKED_HERE if same or opened is None else ChatMsg.LINKED_ELSEWHERE
        return TurnOutcome([_line(linked.chat_language, reply, account=linked.company or linked.name)], linked.link_id)
    if opened is None:
        return TurnOutcome([_line(_language(arrived), ChatMsg.CODE_UNKNOWN)])
    return await _use(arrived, code, opened)


async def _use(arrived: Arrived, code: str, opened: OpenedCodeRow) -> TurnOutcome:
    member = await arrived.kernel.service(Authenticator).acting(opened)
    actor = replace(member, channel=Channel.MESSAGING, client=arrived.plugin.title, connection_id=opened.link_id)
    metadata = RequestMetadata(request_id=arrived.source, source_message=f"{arrived.plugin.name}:{arrived.update.id}")
    ctx = Context(kernel=arrived.kernel, who=actor, request_metadata=metadata)
    try:
        await messaging.use_code(ctx, code, arrived.update, arrived.plugin.name, arrived.bot.id)
    except (NotFound, Conflict):
        return TurnOutcome([_line(_language(arrived), ChatMsg.CODE_UNKNOWN)])
    role = text(ROLES[member.role.value])
    welcome = text(ChatMsg.LINKED, account=member.account.issuer_name, role=role).in_language(opened.chat_language)
    lines = text(ChatMsg.HELP).in_language(opened.chat_language).split("\n")
    return TurnOutcome([StoredMessage(title=welcome, lines=tuple(lines))], opened.link_id)


async def unknown(arrived: Arrived) -> TurnOutcome:
    """Return the line for somebody who is not linked, which tells nothing of anybody's."""
    if not isinstance(arrived.update.event, Text) or not await _may_try(arrived):
        return TurnOutcome()
    return TurnOutcome([_line(_language(arrived), ChatMsg.NOT_LINKED)])


async def elsewhere(arrived: Arrived) -> TurnOutcome:
    """Return the line for a group or a channel, where others would read along; only to words for the bot."""
    event = arrived.update.event
    is_for_bot = isinstance(event, Text) and event.words.startswith("/")
    if not is_for_bot or not await _may_try(arrived):
        return TurnOutcome()
    return TurnOutcome([_line(_language(arrived), ChatMsg.PRIVATE_ONLY)])


async def _may_try(arrived: Arrived) -> bool:
    """Count an attempt of a stranger; False where there were too many."""
    try:
        await arrived.kernel.service(Throttle).spend(STRANGERS, f"{arrived.plugin.name}:{arrived.update.sender}")
    except RateLimited:
        return False
    return True


def _language(arrived: Arrived) -> str:
    spoken = (arrived.update.language or "")[:2]
    return spoken if spoken in languages() else ENGLISH


def _line(language: str, message: MessageId, **values: object) -> StoredMessage:
    return StoredMessage(lines=(text(message, **values).in_language(language),))
