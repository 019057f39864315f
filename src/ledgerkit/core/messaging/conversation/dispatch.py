"""Ways of an update: linking, words, taps and files, each for whom it is; everything else is refused."""

from contextlib import suppress
from dataclasses import replace
from uuid import UUID

from sqlalchemy import DateTime, Uuid, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.messaging import operations as messaging
from ledgerkit.core.messaging import queries
from ledgerkit.core.messaging.conversation import files, linking, saying, tapping
from ledgerkit.core.messaging.conversation.turn import Arrived, Turn, TurnOutcome, opened
from ledgerkit.core.messaging.messengers.messenger import File, Left, MessengerPlugin, Other, Tap, Text, Voice
from ledgerkit.core.messaging.table import STATE, StoredMessage, messaging_link
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.tables import JSON
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.logins import authentication
from ledgerkit.core.platform.request.context import Channel, Context, Kernel, RequestMetadata
from ledgerkit.problems import Code, NotFound, Problem, Unavailable
from ledgerkit.texts import ENGLISH, text


class _LinkRow(Row):
    id: UUID


_KEEP_STATE = Prepared(
    update(messaging_link)
    .where(messaging_link.c.id == bindparam("link", type_=Uuid))
    .values(state=bindparam("left_in", type_=JSON), last_seen_at=bindparam("now", type_=DateTime(timezone=True)))
)
_STILL_LINKED = Prepared(
    select(messaging_link.c.id)
    .where(messaging_link.c.id == bindparam("link", type_=Uuid))
    .with_for_update(key_share=True),
    _LinkRow,
)


async def handle(arrived: Arrived) -> TurnOutcome:
    """Return what is said to an update. Raises Unavailable, and nothing else that a person could cause.

    What is unavailable for the last time is said like any other problem.
    """
    event = arrived.update.event
    if not arrived.update.is_private:
        return await linking.elsewhere(arrived)
    row = await identity_queries.fetch_row(
        arrived.kernel, queries.BY_SENDER, messenger=arrived.plugin.name, sender=arrived.update.sender
    )
    if isinstance(event, Left):
        await left(arrived.kernel, arrived.plugin, None if row is None else row.link_id)
        return TurnOutcome()
    if isinstance(event, Text) and (code := linking.code_in(event.words)) is not None:
        return await linking.link(arrived, code, row)
    if row is None:
        return await linking.unknown(arrived)
    turn = await opened(arrived, row)
    try:
        await _take(turn)
    except Problem as problem:
        if not arrived.is_last:
            _raise_passing(problem)
        saying.refuse(turn, problem)
    return turn.outcome


def _raise_passing(problem: Problem) -> None:
    """Raise Unavailable for a problem that passes by itself: also that the update is handled elsewhere, or was."""
    if isinstance(problem, Unavailable):
        raise problem
    if problem.code is Code.REQUEST_IN_FLIGHT:
        raise Unavailable(problem.text, code=problem.code) from problem


async def _take(turn: Turn) -> None:
    event = turn.arrived.update.event
    if isinstance(event, Tap):
        await tapping.tapped(turn, event)
    elif isinstance(event, Text):
        await saying.said(turn, event)
    elif isinstance(event, Voice):
        await saying.spoken(turn, event)
    elif isinstance(event, File):
        await files.received(turn, event)
    elif isinstance(event, Other):
        turn.say(turn.words(ChatMsg.NOT_READ))


async def keep(db: AsyncConnection, outcome: TurnOutcome) -> UUID | None:
    """Keep the state of a conversation and return its link; None where it has ended meanwhile, or never was."""
    if outcome.link is None:
        return None
    if await _STILL_LINKED.row(db, link=outcome.link) is None:
        return None
    if outcome.state is not None:
        await _KEEP_STATE.run(db, link=outcome.link, left_in=STATE.encode(outcome.state), now=clock.now())
    return outcome.link


async def broken(arrived: Arrived) -> TurnOutcome:
    """Return what is said where a turn has failed by our own fault."""
    row = await identity_queries.fetch_row(
        arrived.kernel, queries.BY_SENDER, messenger=arrived.plugin.name, sender=arrived.update.sender
    )
    if row is None:
        return TurnOutcome()
    words = text(ChatMsg.BROKEN, reference=arrived.source).in_language(row.chat_language)
    return TurnOutcome([StoredMessage(lines=(words,))], row.link_id)


async def left(kernel: Kernel, plugin: MessengerPlugin, link_id: UUID | None) -> None:
    """Unlink the chat of a person who has blocked the bot; nothing where it is not linked."""
    row = None if link_id is None else await identity_queries.fetch_row(kernel, queries.BY_LINK, link=link_id)
    if row is None:
        return
    member = replace(
        authentication.actor_of(row), channel=Channel.MESSAGING, client=plugin.title, connection_id=row.link_id
    )
    with suppress(NotFound):  # somebody has unlinked it at the same time
        await messaging.leave(Context(kernel=kernel, who=member, request_metadata=RequestMetadata(language=ENGLISH)))
