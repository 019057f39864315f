"""The activity log: entries written in the transaction of the change, and lists of a team's and a record's entries."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from pydantic.alias_generators import to_camel
from sqlalchemy import Text, Uuid, bindparam, func, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity.api import ActivityLog
from ledgerkit.core.platform.activity.table import ActivityRow, activity
from ledgerkit.core.platform.activity.texts import ActivityMsg
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest, fetch_page, page_statement
from ledgerkit.core.platform.api_types.wire import wire_column, wire_time
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.event_loop.turns import in_turns
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
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


async def record_each(ctx: Context, lines: Sequence[Line]) -> None:
    """Log entries about many subjects, in their order and in one statement."""
    if lines:
        rows = [_row(ctx, *line) async for line in in_turns(lines)]
        await records.add_many(ctx, activity, rows, counted=True)


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
    )


def changed(old: Mapping[str, object], new: Mapping[str, object]) -> Changes:
    """Return the fields of `new` that differ from `old`, with both values."""
    return {field: (old.get(field), value) for field, value in new.items() if old.get(field) != value}


@operation(Permission.ACTIVITY_READ, unit=Unit.READING, errors=[(Invalid, {Code.NO_TEAM})])
async def feed(ctx: Context, page: PageRequest) -> Page:
    """List the activity of the team, newest first. Raises Invalid NO_TEAM in a personal workspace."""
    if not ctx.account.is_team:
        raise Invalid(ActivityMsg.NO_TEAM, code=Code.NO_TEAM)
    return await fetch_page(ctx.db, _FEED, page)


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
_FEED = page_statement(select(*ENTRY).order_by(activity.c.id.desc()), counters.total([activity.name]))
_HISTORY = page_statement(
    select(*ENTRY).where(*_SUBJECT).order_by(activity.c.id),
    select(func.count()).select_from(activity).where(*_SUBJECT).scalar_subquery(),
)
