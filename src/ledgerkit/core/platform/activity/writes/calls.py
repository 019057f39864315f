"""Calls that have written, from the activity log: the entries of one transaction are those of one call."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    DateTime,
    Text,
    Uuid,
    and_,
    any_,
    bindparam,
    cast,
    exists,
    func,
    not_,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import JSONB

from ledgerkit import clock
from ledgerkit.core.platform.activity import operations as activity_log
from ledgerkit.core.platform.activity.table import ActivityRow, activity
from ledgerkit.core.platform.database.ids import first_id_at, missing
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.request.context import Author, Context

UNDONE = "undone"
"""Action of the entry that says of another entry that its write was taken back."""

NOTES = frozenset({"approved", "failed", "opened", "proposed", "rejected", "stock_below_zero", "superseded", UNDONE})
"""Actions that tell something beside a write, or of no write of the books; a till is `opened` by one, though."""

_TILL = "cash_register"

LOOKED_BACK = timedelta(days=30)
"""Time within which writes are looked for."""

_CLOCKS_DIFFER = timedelta(hours=1)
"""Most by which the clock that makes ids may be behind the database's, which stamps entries."""

_Subject = tuple[str, UUID]
"""Type and id of a record."""


@dataclass(frozen=True)
class Call:
    """A call that has written: its entries of the log, the newest first. Those in `NOTES` are left out.

    `was_undone`: it was taken back. `undoes`: it has taken others back itself.
    """

    author: Author
    entries: Sequence[ActivityRow]
    was_undone: bool = False
    undoes: bool = False


async def last(ctx: Context, author: Author, count: int, subject: _Subject | None = None) -> list[Call]:
    """Return the last calls of an author, the newest first; with `subject` those that wrote to that record.

    Calls that were taken back are left out, and those that have taken others back.
    """
    kind, record = subject or (None, None)
    moments = await _last_moments(of_record=subject is not None).rows(
        ctx.db, **author._asdict(), floor=_floor(), kind=kind, record=record, count=count
    )
    return await _of_moments(ctx, [row.created_at for row in moments], author)


async def of_entries(ctx: Context, entry_ids: Collection[UUID]) -> list[Call]:
    """Return the calls to which these entries belong, the newest first, whoever made them. Raises NotFound."""
    named = await _NAMED.rows(ctx.db, entry_ids=list(entry_ids))
    stored = {row.id for row in named}
    for entry_id in entry_ids:
        if entry_id not in stored:
            raise missing("activity entry", entry_id)
    calls: list[Call] = []
    for author in dict.fromkeys(_author(row) for row in named):
        moments = {row.created_at for row in named if _author(row) == author}
        calls += await _of_moments(ctx, sorted(moments), author)
    return sorted(calls, key=lambda call: call.entries[0].id, reverse=True)


async def since(ctx: Context, entry: ActivityRow) -> ActivityRow | None:
    """Return the newest write to the record of an entry after it, by anybody; None where there is none.

    What was taken back, and taking it back, are no writes to it any more.
    """
    return await _SINCE.row(
        ctx.db, kind=entry.entity_type, record=entry.entity_id, after=entry.id, moment=entry.created_at
    )


async def note_undone(ctx: Context, entries: Sequence[ActivityRow]) -> None:
    """Log of entries that what they tell of was taken back."""
    lines: list[activity_log.Line] = [
        (UNDONE, (entry.entity_type, entry.entity_id), entry.entity_label, {"entry": (entry.id, None)})
        for entry in entries
    ]
    await activity_log.record_each(ctx, lines)


async def _of_moments(ctx: Context, moments: Sequence[datetime], author: Author) -> list[Call]:
    calls = []
    for moment in sorted(moments, reverse=True):
        floor = first_id_at(moment - _CLOCKS_DIFFER)  # ids may run ahead: after a clock was set back they still rise
        of_call = await _OF_MOMENT.rows(ctx.db, **author._asdict(), floor=floor, moment=moment)
        writes = [row for row in of_call if not is_note(row.entity_type, row.action)]
        if writes:
            marks = await _UNDONE_OF.rows(ctx.db, floor=floor, records=list({row.entity_id for row in writes}))
            undone = {row.entry_id for row in marks}
            undoes = any(row.action == UNDONE for row in of_call)
            calls.append(Call(author, writes, was_undone=any(row.id in undone for row in writes), undoes=undoes))
    return calls


async def rewritten(ctx: Context, entry: ActivityRow) -> ActivityRow | None:
    """Return the entry by which the open transaction has written what that of `entry` wrote again; None for none."""
    return await _REWRITTEN.row(
        ctx.db, kind=entry.entity_type, record=entry.entity_id, after=entry.id, what=entry.action
    )


def is_note(entity_type: str, action: str) -> bool:
    """Return True for an entry that tells of no write."""
    return action in NOTES and (entity_type != _TILL or action == UNDONE)


def _author(row: "ActivityRow | _NamedRow") -> Author:
    return Author(row.user_id, row.key_prefix, row.client)


def _floor() -> UUID:
    """Return an id below all of the time that is looked back."""
    return first_id_at(clock.now() - LOOKED_BACK)


class _MomentRow(Row):
    created_at: datetime


class _NamedRow(Row):
    id: UUID
    created_at: datetime
    user_id: UUID | None
    key_prefix: str | None
    client: str | None


class _UndoneRow(Row):
    entry_id: UUID


_NOTES = sorted(NOTES)
_MARKS = activity.alias("marks")
_IS_MARK = _MARKS.c.action == constant(UNDONE)
_MARKED = cast(_MARKS.c.changes.op("->")(constant("entry")).op("->>")(constant("from")), Uuid)
_BY_AUTHOR = (
    activity.c.user_id.is_not_distinct_from(bindparam("user_id", type_=Uuid)),
    activity.c.key_prefix.is_not_distinct_from(bindparam("key_prefix", type_=Text)),
    activity.c.client.is_not_distinct_from(bindparam("client", type_=Text)),
)
_OF_RECORD = (
    activity.c.entity_type == bindparam("kind", type_=Text),
    activity.c.entity_id == bindparam("record", type_=Uuid),
)
_IS_WRITE = or_(
    not_(activity.c.action.in_([constant(note) for note in _NOTES])),
    and_(activity.c.entity_type == constant(_TILL), activity.c.action != constant(UNDONE)),
)


@cache
def _last_moments(*, of_record: bool) -> Prepared[_MomentRow]:
    recent = activity.c.id >= bindparam("floor", type_=Uuid)
    of_marks = (_IS_MARK, _MARKS.c.id >= bindparam("floor", type_=Uuid))
    conditions = [
        recent,
        *_BY_AUTHOR,
        *(_OF_RECORD if of_record else ()),
        _IS_WRITE,
        activity.c.created_at.not_in(select(_MARKS.c.created_at).where(*of_marks)),
        activity.c.id.not_in(select(_MARKED).where(*of_marks)),
    ]
    statement = select(activity.c.created_at).where(*conditions).group_by(activity.c.created_at)
    newest = statement.order_by(activity.c.created_at.desc()).limit(bindparam("count", type_=BigInteger))
    return Prepared(newest, _MomentRow)


_NAMED = Prepared(
    select(activity.c.id, activity.c.created_at, activity.c.user_id, activity.c.key_prefix, activity.c.client)
    .where(activity.c.id == any_(bindparam("entry_ids", type_=ARRAY(Uuid))))
    .order_by(activity.c.id),
    _NamedRow,
)
_OF_MOMENT = Prepared(
    select(activity)
    .where(
        activity.c.id >= bindparam("floor", type_=Uuid),
        *_BY_AUTHOR,
        activity.c.created_at == bindparam("moment", type_=DateTime(timezone=True)),
    )
    .order_by(activity.c.id.desc()),
    ActivityRow,
)
_REWRITTEN = Prepared(
    select(activity)
    .where(
        *_OF_RECORD,
        activity.c.id > bindparam("after", type_=Uuid),
        activity.c.created_at == func.now(),
        activity.c.action == bindparam("what", type_=Text),
    )
    .order_by(activity.c.id.desc())
    .limit(1),
    ActivityRow,
)
_UNDONE_OF = Prepared(
    select(_MARKED.label("entry_id")).where(
        _IS_MARK,
        _MARKS.c.id >= bindparam("floor", type_=Uuid),
        _MARKS.c.entity_id == any_(bindparam("records", type_=ARRAY(Uuid))),
    ),
    _UndoneRow,
)


def _since() -> Prepared[ActivityRow]:
    of_marks = (
        _IS_MARK,
        _MARKS.c.entity_type == bindparam("kind", type_=Text),
        _MARKS.c.entity_id == bindparam("record", type_=Uuid),
    )
    statement = select(activity).where(
        *_OF_RECORD,
        activity.c.id > bindparam("after", type_=Uuid),
        activity.c.created_at != bindparam("moment", type_=DateTime(timezone=True)),
        _IS_WRITE,
        activity.c.created_at.not_in(select(_MARKS.c.created_at).where(*of_marks)),
        activity.c.id.not_in(select(_MARKED).where(*of_marks)),
    )
    return Prepared(statement.order_by(activity.c.id.desc()).limit(1), ActivityRow)


_SINCE = _since()


class ApprovedRow(Row):
    """An approved act: `ended_at` is when it was done, None where it may still run.

    `result_id` is the record that it made or changed, where that is known. `writes` is what its dry run has shown: JSON
    list with action, entityType and entityLabel.
    """

    id: UUID
    ended_at: datetime | None
    result_id: str | None
    writes: str


async def last_decided(ctx: Context, author: Author, approved: Sequence[ApprovedRow]) -> ActivityRow | None:
    """Return the newest entry by which another than the author has approved one of these, not taken back since.

    What may still run was not taken back.
    """
    if not approved:
        return None
    values = {
        "approvals": [act.id for act in approved],
        "ends": [act.ended_at for act in approved],
        "results": [act.result_id for act in approved],
        "writes": [act.writes for act in approved],
    }
    return await _DECIDED.row(ctx.db, **author._asdict(), floor=_floor(), **values)


def _decided() -> Prepared[ActivityRow]:
    """Find what the act has written: in the transaction of the decision, or in several until its end.

    In several, the approver may write something else meanwhile: only what the dry run has shown is of the act.
    """
    floor = bindparam("floor", type_=Uuid)
    approvals = func.unnest(
        bindparam("approvals", type_=ARRAY(Uuid)),
        bindparam("ends", type_=ARRAY(DateTime(timezone=True))),
        bindparam("results", type_=ARRAY(Text)),
        bindparam("writes", type_=ARRAY(Text)),
    )
    approved = approvals.table_valued("id", "ended_at", "result_id", "writes", name="approved").render_derived()
    write = activity.alias("write")
    is_mark = (_IS_MARK, _MARKS.c.id >= floor)
    undoes = exists().where(*is_mark, _MARKS.c.created_at == activity.c.created_at)
    kind = constant("entityType"), write.c.entity_type, constant("action"), write.c.action
    label = constant("entityLabel"), write.c.entity_label
    shown = cast(approved.c.writes, JSONB)
    is_of_act = or_(
        shown.contains(func.jsonb_build_array(func.jsonb_build_object(*kind, *label))),
        and_(
            shown.contains(func.jsonb_build_array(func.jsonb_build_object(*kind))),
            cast(write.c.entity_id, Text) == approved.c.result_id,
        ),
    )
    was_undone = exists().where(
        *is_mark,
        write.c.id >= floor,
        write.c.created_at.between(activity.c.created_at, approved.c.ended_at),
        or_(write.c.created_at == activity.c.created_at, is_of_act),
        write.c.user_id.is_not_distinct_from(activity.c.user_id),
        write.c.key_prefix.is_not_distinct_from(activity.c.key_prefix),
        write.c.account_id == _MARKS.c.account_id,
        write.c.entity_id == _MARKS.c.entity_id,
        write.c.id == _MARKED,
    )
    statement = select(activity).where(
        activity.c.entity_type == constant("approval"),
        activity.c.entity_id == approved.c.id,
        activity.c.action == constant("approved"),
        activity.c.id >= floor,
        not_(and_(*_BY_AUTHOR)),
        not_(undoes),
        not_(was_undone),
    )
    return Prepared(statement.order_by(activity.c.id.desc()).limit(1), ActivityRow)


_DECIDED = _decided()
