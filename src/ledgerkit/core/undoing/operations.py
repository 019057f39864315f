"""Take back the last writes of a user and client."""

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from ledgerkit import clock
from ledgerkit.core.catalog.supplier_invoices import imports
from ledgerkit.core.platform.activity import queries as activity_queries
from ledgerkit.core.platform.activity.table import ActivityRow
from ledgerkit.core.platform.activity.writes import calls
from ledgerkit.core.platform.activity.writes.calls import Call
from ledgerkit.core.platform.approvals import queries as approvals
from ledgerkit.core.platform.database.ids import as_id, id_sought
from ledgerkit.core.platform.database.transactions import step
from ledgerkit.core.platform.identity.persons import guard
from ledgerkit.core.platform.request.context import Author, Context
from ledgerkit.core.platform.request.operation import Effect, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.teams.members import roster
from ledgerkit.core.undoing import acts
from ledgerkit.core.undoing.api import UndoInput, Undone, UndoneWrite
from ledgerkit.core.undoing.texts import UndoingMsg
from ledgerkit.core.undoing.ways.inverses import Follows, NoWay, Stays, Way, check_followed, way_of
from ledgerkit.problems import Code, Conflict, Forbidden, Invalid, NotFound
from ledgerkit.texts import ProblemText, problem_text, text

MOST_WRITES = 500
"""Writes of a call that is taken back, at most."""

_OF_TEAM = frozenset({"invitation", "member", "team"})
"""Kinds of records that change under the lock of the team."""

_REFUSALS = (Conflict, Forbidden, Invalid, NotFound)
"""Problems of a way back that are the reason why a write stays. Others end the whole request."""


@dataclass(frozen=True)
class _Outcome:
    """A write, and why it stays; None when it was taken back."""

    entry: ActivityRow
    reason: ProblemText | None = None


@operation(
    Permission.ACTIVITY_UNDO,
    errors=[(NotFound, {Code.NOT_FOUND}), *guard.PROOF_ERRORS],
    effects=Effect.DESTRUCTIVE,
    act=acts.UNDO,
)
async def undo(ctx: Context, data: UndoInput) -> Undone:
    """Take back the last calls of this user and client, each whole or not at all, the newest first.

    What was taken back before does not count: another undo goes on further back. It ends at a call that cannot be taken
    back; calls before that one stay too. Raises NotFound for an entry that does not exist.
    """
    author = ctx.request_metadata.proposed_by or ctx.actor.author
    outcomes: list[_Outcome] = []
    taken_back, stopped = 0, False
    selected = await _selected(ctx, data, author)
    approved = await _approved_meanwhile(ctx, data, author, selected)
    for call in selected:
        if approved is not None and approved.id > call.entries[0].id:
            outcomes, approved, stopped = [*outcomes, _of_approver(ctx, approved)], None, True
        of_call = _refused(call, UndoingMsg.OLDER) if stopped else await _take_back(ctx, call, author)
        stopped = stopped or not any(outcome.reason is None for outcome in of_call)
        taken_back += not stopped
        outcomes += of_call
    if approved is not None:
        outcomes.append(_of_approver(ctx, approved))
    for outcome in outcomes:
        ctx.note_for_others(acts.READERS.get(outcome.entry.entity_type, Permission.TEAM_WRITE))
    note = None if outcomes else text(UndoingMsg.NOTHING_OWN, days=calls.LOOKED_BACK.days)
    words = None if note is None else note.in_language(ctx.request_metadata.language)
    return Undone(calls=taken_back, entries=[_shape(ctx, outcome) for outcome in outcomes], note=words)


async def _approved_meanwhile(
    ctx: Context, data: UndoInput, author: Author, selected: Sequence[Call]
) -> ActivityRow | None:
    """Return the newest act of the author that somebody else has approved, where it is among the last `count` acts."""
    if data.entry_ids is not None or data.type is not None:
        return None
    approved = await calls.last_decided(
        ctx, author, await approvals.approved_of(ctx, author, clock.now() - calls.LOOKED_BACK)
    )
    if approved is None or len(selected) < data.count or approved.id > selected[-1].entries[0].id:
        return approved
    return None


def _of_approver(ctx: Context, approved: ActivityRow) -> _Outcome:
    values = {"who": approved.user_name, "when": _moment(ctx, approved)}
    return _Outcome(approved, problem_text(UndoingMsg.APPROVED, values, None))


def _moment(ctx: Context, entry: ActivityRow) -> str:
    return f"{entry.created_at.astimezone(ZoneInfo(ctx.account.time_zone)):%Y-%m-%d %H:%M}"


async def _selected(ctx: Context, data: UndoInput, author: Author) -> list[Call]:
    """Return the calls that are asked for. Raises NotFound, Invalid."""
    if (data.type is None) != (data.id is None):
        raise Invalid.field("id" if data.id is None else "type", UndoingMsg.RECORD_INCOMPLETE)
    if data.entry_ids is None:
        subject = None if data.type is None or data.id is None else (data.type, id_sought(data.id))
        return await calls.last(ctx, author, data.count, subject)
    if data.type is not None or "count" in data.model_fields_set:
        raise Invalid.field("entryIds", UndoingMsg.ENTRIES_ALONE)
    return await calls.of_entries(ctx, [as_id(entry_id, "entry") for entry_id in data.entry_ids])


async def _take_back(ctx: Context, call: Call, author: Author) -> list[_Outcome]:
    """Take back a call with all of its writes, or leave it as it is; say which."""
    refusal = _refusal(call, author)
    if refusal is not None:
        return _refused(call, refusal, most=MOST_WRITES, days=calls.LOOKED_BACK.days)
    reasons = _without_way(call)
    if not reasons and await imports.was_at(ctx, call.entries[0].created_at):
        return _refused(call, UndoingMsg.GOODS_IMPORTED)
    if not reasons:
        reasons = await _changed_since(ctx, call)
    if not reasons:
        reasons = await _go_back(ctx, call)
    if reasons:
        together = problem_text(UndoingMsg.TOGETHER, {}, None)
        return [_Outcome(entry, reasons.get(place, together)) for place, entry in enumerate(call.entries)]
    return [_Outcome(entry, _staying(entry, call)) for entry in call.entries]


def _refusal(call: Call, author: Author) -> UndoingMsg | None:
    """Return why a call is not looked at any further, None where it is."""
    refusals = {
        UndoingMsg.OF_OTHERS: call.author != author,
        UndoingMsg.TOO_OLD: call.entries[0].created_at < clock.now() - calls.LOOKED_BACK,
        UndoingMsg.BY_UNDO: call.undoes,
        UndoingMsg.TAKEN_BACK: call.was_undone,
        UndoingMsg.TOO_MANY: len(call.entries) > MOST_WRITES,
    }
    return next((reason for reason, applies in refusals.items() if applies), None)


Reasons = dict[int, ProblemText]
"""Reasons why writes of a call stay, by their places in the call."""


def _without_way(call: Call) -> Reasons:
    ways = [way_of(entry, call.entries) for entry in call.entries]
    return {place: problem_text(way.reason, {}, None) for place, way in enumerate(ways) if isinstance(way, NoWay)}


def _staying(entry: ActivityRow, call: Call) -> ProblemText | None:
    way = way_of(entry, call.entries)
    return problem_text(way.reason, {}, None) if isinstance(way, Stays) else None


async def _changed_since(ctx: Context, call: Call) -> Reasons:
    """Lock the records of a call, and return for each that was written to since by whom, and when."""
    if any(entry.entity_type in _OF_TEAM for entry in call.entries):
        await roster.lock(ctx, ctx.account.id)
    labels = {(entry.entity_type, str(entry.entity_id)): entry.entity_label for entry in call.entries}
    await activity_queries.stored_versions(ctx, labels, lock=True)
    reasons: Reasons = {}
    for place, entry in enumerate(call.entries):
        later = await calls.since(ctx, entry)
        if later is not None:
            who = later.user_name if later.client is None else f"{later.user_name} ({later.client})"
            values = {"who": who, "when": _moment(ctx, later)}
            reasons[place] = problem_text(UndoingMsg.CHANGED_SINCE, values, None)
    return reasons


async def _go_back(ctx: Context, call: Call) -> Reasons:
    """Take back the writes of a call, the newest first. What was done stays only if all of it could be."""
    reached: list[ActivityRow] = []
    try:
        async with step(ctx.db):
            for entry in call.entries:
                reached.append(entry)
                way = way_of(entry, call.entries)
                if isinstance(way, Way):
                    await way.back(ctx, entry)
            for entry in call.entries:
                if isinstance(way_of(entry, call.entries), Follows):
                    await check_followed(ctx, entry)
            await calls.note_undone(ctx, call.entries)
    except _REFUSALS as problem:
        return {len(reached) - 1: problem.text}
    return {}


def _refused(call: Call, reason: UndoingMsg, **values: object) -> list[_Outcome]:
    return [_Outcome(entry, problem_text(reason, values, None)) for entry in call.entries]


def _shape(ctx: Context, outcome: _Outcome) -> UndoneWrite:
    entry, reason = outcome.entry, outcome.reason
    words = None if reason is None else reason.wording(ctx.request_metadata.language)
    return UndoneWrite(
        entry_id=str(entry.id),
        action=entry.action,
        type=entry.entity_type,
        id=str(entry.entity_id),
        label=entry.entity_label,
        created_at=entry.created_at,
        undone=reason is None,
        reason=None if words is None else words.message,
        remedy=None if words is None else words.remedy or None,
    )
