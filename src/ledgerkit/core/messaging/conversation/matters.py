"""Tasks, the till, undo and the chat itself: what is proposed of them, and what is changed at once."""

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

from ledgerkit import clock
from ledgerkit.core.cash_register import operations as registers
from ledgerkit.core.messaging import operations as messaging
from ledgerkit.core.messaging.conversation import books, cards
from ledgerkit.core.messaging.conversation.books import KnownTask
from ledgerkit.core.messaging.conversation.turn import Turn, button
from ledgerkit.core.messaging.language.requests import (
    CloseTill,
    CompleteTask,
    CreateTask,
    RequestLack,
    SetDigest,
    Silence,
)
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.activity.operations import HistoryFilter
from ledgerkit.core.platform.api_types.list_pages import PageRequest

UNLINK = "u"
KEEP = "k"
"""Verbs of the buttons that end the link of this chat, and that keep it."""

UNDO_WITHIN = dt.timedelta(minutes=5)
_BOOKKEEPING = frozenset({"proposed", "approved", "rejected", "superseded", "failed", "undone"})
"""Actions of the log that are no change of the books."""


async def create_task(turn: Turn, request: CreateTask) -> None:
    fields: dict[str, Any] = {"title": request.title[:200]}
    if request.due_date is not None:
        fields["dueDate"] = request.due_date.isoformat()
    await cards.propose(turn, "tasks.create", fields, ChatMsg.NOTE_DOWN)


async def complete_task(turn: Turn, request: CompleteTask) -> None:
    if not isinstance(request.task, KnownTask):
        turn.say(turn.words(ChatMsg.NO_SUCH_TASK))
        return
    await cards.propose(turn, "tasks.set_status", {"id": request.task.id, "status": "done"}, ChatMsg.DONE)


async def close_till(turn: Turn, request: CloseTill) -> None:
    """Propose to close the open till, of which the person has counted the drawer."""
    register = await open_till(turn)
    if register is None:
        turn.say(turn.words(ChatMsg.TILL_CLOSED))
    elif request.counted is None:
        turn.say(turn.words(ChatMsg.HOW_MUCH_COUNTED))
        turn.ask(RequestLack.AMOUNT, turn.said)
    else:
        fields = {"id": register["id"], "closingAmount": request.counted}
        await cards.propose(turn, "cash_register.close", fields, ChatMsg.CLOSE_TILL)


async def open_till(turn: Turn) -> books.Record | None:
    """Return the register that is open: the person's own, else the first that they may see."""
    still_open = books.records(await registers.still_open(turn.reading, PageRequest(size=50)))
    return still_open[0] if still_open else None


async def undo(turn: Turn) -> None:
    """Propose to take back the last change of this chat, if it was made within five minutes."""
    own_entries = HistoryFilter(mine=True, client=turn.arrived.plugin.title)
    entries = books.records(await activity.look_up(turn.reading, PageRequest(size=50), own_entries))
    changes = [entry for entry in entries if entry["action"] not in _BOOKKEEPING]
    if not changes or dt.datetime.fromisoformat(changes[0]["createdAt"]) < clock.now() - UNDO_WITHIN:
        turn.say(turn.words(ChatMsg.NOTHING_TO_UNDO, minutes=UNDO_WITHIN.seconds // 60))
        return
    await cards.propose(turn, "undoing.undo", {"count": 1}, ChatMsg.UNDO)


async def silence(turn: Turn, request: Silence) -> None:
    """Send nothing unasked from now on, or again; that is no change of the books."""
    until = None
    if request.until is not None:
        zone = ZoneInfo(turn.member.account.time_zone)
        until = dt.datetime.combine(request.until, dt.time(), zone)
    await messaging.set_quiet(turn.settling, quiet=not request.is_off, until=until)
    if request.is_off:
        turn.say(turn.words(ChatMsg.QUIET_OFF))
    elif request.until is not None:
        turn.say(turn.words(ChatMsg.QUIET_UNTIL, day=turn.day(request.until)))
    else:
        turn.say(turn.words(ChatMsg.QUIET_ON))


async def set_digest(turn: Turn, request: SetDigest) -> None:
    """Choose the hour of the digest, or that there is none; that is no change of the books."""
    await messaging.set_digest(turn.settling, request.hour)
    if request.hour is None:
        turn.say(turn.words(ChatMsg.DIGEST_OFF))
    else:
        turn.say(turn.words(ChatMsg.DIGEST_AT, hour=request.hour))


async def unlink(turn: Turn) -> None:
    """Ask whether this chat is to be unlinked."""
    yes = button(turn.words(ChatMsg.UNLINK), UNLINK, str(turn.link_id))
    no = button(turn.words(ChatMsg.CANCEL), KEEP)
    turn.say(turn.words(ChatMsg.UNLINK_ASKED, account=turn.member.account.issuer_name), buttons=[[yes, no]])
