"""The activity log: entries written in the transaction of the change, and lists of a team's and a record's entries."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import Any, TypeAlias
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic.alias_generators import to_camel
from sqlalchemy import (
    Column,
    ColumnElement,
    Text,
    Uuid,
    and_,
    bindparam,
    false,
    func,
    not_,
    or_,
    select,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY

from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity.api import ActivityLog
from ledgerkit.core.platform.activity.table import ActivityRow, activity
from ledgerkit.core.platform.activity.texts import ActivityMsg
from ledgerkit.core.platform.api_types.list_pages import (
    Page,
    PageRequest,
    PageRow,
    PageStatement,
    fetch_page,
    page_statement,
)
from ledgerkit.core.platform.api_types.wire import wire_column, wire_time
from ledgerkit.core.platform.database.ids import NO_ID, first_id_at, id_sought, new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import constant
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.event_loop.turns import in_turns
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Permission, Role
from ledgerkit.problems import Code, Invalid

Changes = Mapping[str, tuple[object, object]]
"""Values before and after by field."""

Line = tuple[str, tuple[str, UUID], str | None, Changes]
"""Entry of the log: action, subject (type and id), label and changes."""


async def record(
    ctx: Context,
    action: str,
    subject: tuple[str, UUID],
    label: str | None = None,
    changes: Changes | None = None,
) -> None:
    """Log that the actor did `action` to `subject` (type and id). `changes` must hold no secrets."""
    await record_all(ctx, subject, label, {action: changes or {}})


async def record_all(
    ctx: Context, subject: tuple[str, UUID], label: str | None, actions: Mapping[str, Changes]
) -> None:
    """Log several actions on one subject, in their order and in one statement."""
    rows = [_row(ctx, action, subject, label, changes) for action, changes in actions.items()]
    await records.add_all(ctx, activity, rows, counted=True)
    await _tell_followers(ctx, rows)


async def record_each(ctx: Context, lines: Sequence[Line]) -> None:
    """Log entries about many subjects, in their order and in one statement."""
    if lines:
        rows = [_row(ctx, *line) async for line in in_turns(lines)]
        await records.add_many(ctx, activity, rows, counted=True)
        await _tell_followers(ctx, rows)


Follower: TypeAlias = Callable[[Context, Values[ActivityRow]], Awaitable[None]]
"""Is told of an entry in the transaction that writes it."""

_FOLLOWERS: dict[tuple[str, str], Follower] = {}


def followed_by(entry: tuple[str, str], follower: Follower) -> None:
    """Let a domain above follow the entries of one kind of record and one action."""
    _FOLLOWERS[entry] = follower


async def _tell_followers(ctx: Context, rows: Sequence[Values[ActivityRow]]) -> None:
    for row in rows:
        follower = _FOLLOWERS.get((row.of(ActivityRow.entity_type), row.of(ActivityRow.action)))
        if follower is not None:
            await follower(ctx, row)


def _row(
    ctx: Context, action: str, subject: tuple[str, UUID], label: str | None, changes: Changes
) -> Values[ActivityRow]:
    actor = ctx.actor
    return Values(
        ActivityRow,
        id=new_id(),
        user_id=actor.user_id,
        user_name=actor.user_name,
        action=action,
        entity_type=subject[0],
        entity_id=subject[1],
        entity_label=label,
        changes={to_camel(field): {"from": old, "to": new} for field, (old, new) in changes.items()},
        channel=actor.channel.value,
        key_prefix=actor.key_prefix,
        client=actor.client,
        tool=ctx.request_metadata.tool,
        source_message_id=ctx.request_metadata.source_message,
    )


def changed(old: Mapping[str, object], new: Mapping[str, object]) -> Changes:
    """Return the fields of `new` that differ from `old`, with both values."""
    return {field: (old.get(field), value) for field, value in new.items() if old.get(field) != value}


@operation(Permission.ACTIVITY_READ, unit=Unit.READING, errors=[(Invalid, {Code.NO_TEAM})])
async def feed(ctx: Context, page: PageRequest) -> Page:
    """List the activity of the team, as `look_up` does. Raises Invalid NO_TEAM in a personal workspace."""
    if not ctx.account.is_team:
        raise Invalid(ActivityMsg.NO_TEAM, code=Code.NO_TEAM)
    return await _listed(ctx, page, {})


@dataclass(frozen=True, kw_only=True)
class HistoryFilter:
    """Filter of the history: a record or a type, the caller, an application or key, days, a part of the label.

    `client_id` is a client with all that refers to it; `client` an application or key.
    """

    type: str | None = None
    id: str | None = None
    client_id: str | None = None
    mine: bool = False
    client: str | None = None
    since: date | None = None
    until: date | None = None
    label: str | None = None


@operation(Permission.ACTIVITY_READ, unit=Unit.READING)
async def look_up(ctx: Context, page: PageRequest, history_filter: HistoryFilter) -> Page:
    """List what was done in the account, newest first. Works in a personal workspace as well, unlike `feed`.

    Entries of invitations are for those who may list invitations; those of proposals for whoever made the entry and
    whoever may see the proposal; those of keys and connected applications for the person whose they are and for owners
    and admins, in a login of theirs.
    """
    zone = ZoneInfo(ctx.account.time_zone)
    values: dict[str, object] = {
        "kind": history_filter.type,
        "record": None if history_filter.id is None else id_sought(history_filter.id),
        "of_client": None if history_filter.client_id is None else id_sought(history_filter.client_id),
        "client": history_filter.client,
        "label": history_filter.label,
    }
    if history_filter.mine:
        values |= {"user": ctx.actor.user_id, "key": None} if ctx.actor.user_id else {"key": ctx.actor.key_prefix}
    if history_filter.since is not None:
        values["since"] = first_id_at(datetime.combine(history_filter.since, time.min, zone))
    if history_filter.until is not None:
        values["until"] = first_id_at(datetime.combine(history_filter.until + timedelta(days=1), time.min, zone))
    return await _listed(ctx, page, {name: value for name, value in values.items() if value is not None})


async def _listed(ctx: Context, page: PageRequest, conditions: Mapping[str, object]) -> Page:
    stated = {**conditions, **_reader(ctx)}
    names = frozenset(stated) & (_CONDITIONS.keys() | {"of_client"})
    return await fetch_page(ctx.db, _history_statement(names), page, **stated)


def _reader(ctx: Context) -> dict[str, object]:
    """Return the parameters of the conditions by which the reader does not see entries of others' access."""
    hidden: dict[str, object] = {}
    if not ctx.actor.may(Permission.INVITATIONS_READ):
        hidden["no_invitations"] = "invitation"
    lacked = ROLE_PERMISSIONS[Role.OWNER] - ctx.actor.granted
    if lacked:
        hidden |= {"lacked": sorted(lacked), "reader": ctx.actor.user_id}
    is_in_person = ctx.actor.may(Permission.LOGIN) and ctx.actor.login is not None
    if not (is_in_person and ctx.actor.may(Permission.TEAM_WRITE)):
        hidden["own_access"] = ctx.actor.user_id if is_in_person else NO_ID
    return hidden


async def history(ctx: Context, subject: tuple[str, UUID], page: PageRequest) -> Page:
    """List the activity on one record (type and id), oldest first."""
    return await fetch_page(ctx.db, _HISTORY, page, kind=subject[0], record=subject[1])


_SUBJECT = (
    activity.c.entity_type == bindparam("kind", type_=Text),
    activity.c.entity_id == bindparam("record", type_=Uuid),
)
_SHOWN = [name for name in ActivityLog.model_fields if name not in {"team_id", "created_at"}]
ENTRY = (
    *(wire_column(name, activity.c[name]) for name in _SHOWN),
    wire_column("team_id", activity.c.account_id),
    wire_column("created_at", wire_time(activity.c.created_at)),
)
_OF_ACCESS = ("api_key", "messaging_link", "oauth_grant")
"""Kinds of records by which somebody gets in: each person sees their own, and owners and admins all of them."""


def _of_proposal(name: str) -> ColumnElement[Any]:
    """Return what an entry about a proposal says of who may see it: `permissions`, in former entries `permission`."""
    return activity.c.changes.op("->")(constant(name)).op("->")(constant("to"))


_LACKED = bindparam("lacked", type_=ARRAY(Text))

_HIDDEN = {
    "no_invitations": activity.c.entity_type == bindparam("no_invitations", type_=Text),
    "lacked": and_(
        activity.c.entity_type == constant("approval"),
        or_(
            func.coalesce(_of_proposal("permissions").bool_op("?|")(_LACKED), false()),
            func.coalesce(_of_proposal("permission").bool_op("?|")(_LACKED), false()),
        ),
        activity.c.user_id.is_distinct_from(bindparam("reader", type_=Uuid)),
    ),
    "own_access": and_(
        or_(
            activity.c.entity_type.in_([constant(kind) for kind in _OF_ACCESS]),
            and_(activity.c.entity_type == constant("team"), activity.c.action == constant("key_regenerated")),
        ),
        activity.c.user_id.is_distinct_from(bindparam("own_access", type_=Uuid)),
    ),
}
"""Entries that a reader does not see, by the parameters of `_reader`."""

_CONDITIONS = {
    **{name: not_(hidden) for name, hidden in _HIDDEN.items()},
    "kind": _SUBJECT[0],
    "record": _SUBJECT[1],
    "user": activity.c.user_id == bindparam("user", type_=Uuid),
    "key": activity.c.key_prefix == bindparam("key", type_=Text),
    "client": func.lower(activity.c.client) == func.lower(bindparam("client", type_=Text)),
    "since": activity.c.id >= bindparam("since", type_=Uuid),
    "until": activity.c.id < bindparam("until", type_=Uuid),
    "label": func.strpos(func.lower(activity.c.entity_label), func.lower(bindparam("label", type_=Text))) > 0,
}


@cache
def _about_client() -> ColumnElement[bool]:
    """Entries of a client, and of the records that refer to it: its invoices, with their payments and mails, its tasks.

    What refers to it is told by the foreign keys of the tables, as the log is below their domains.
    """
    client = bindparam("of_client", type_=Uuid)
    columns = [column for table in metadata.sorted_tables for column in table.c if _refers_to_client(column)]
    referring = [select(constant(column.table.name), column.table.c.id).where(column == client) for column in columns]
    return tuple_(activity.c.entity_type, activity.c.entity_id).in_(
        union_all(select(constant("client"), client), *referring)
    )


def _refers_to_client(column: Column[Any]) -> bool:
    return any(key.target_fullname == "client.id" for key in column.foreign_keys)


@cache
def _history_statement(names: frozenset[str]) -> PageStatement[PageRow]:
    conditions = [_about_client() if name == "of_client" else _CONDITIONS[name] for name in sorted(names)]
    if not names:
        return page_statement(select(*ENTRY).order_by(activity.c.id.desc()), counters.total([activity.name]))
    counted: ColumnElement[int] = select(func.count()).select_from(activity).where(*conditions).scalar_subquery()
    if names <= _HIDDEN.keys():
        hidden = select(func.count()).select_from(activity).where(or_(*(_HIDDEN[name] for name in sorted(names))))
        counted = counters.total([activity.name]) - hidden.scalar_subquery()
    return page_statement(select(*ENTRY).where(*conditions).order_by(activity.c.id.desc()), counted)


_HISTORY = page_statement(
    select(*ENTRY).where(*_SUBJECT).order_by(activity.c.id),
    select(func.count()).select_from(activity).where(*_SUBJECT).scalar_subquery(),
)
