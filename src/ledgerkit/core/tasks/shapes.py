"""A task's row in the shape callers see, and lists of them as the database renders them."""

from functools import cache
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Date, Label, Text, Uuid, bindparam, func, select

from ledgerkit.core.api_types.paging import PageRow, page_statement
from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.identity import members
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.core.tasks.models import task
from ledgerkit.core.tasks.schemas import Task, TaskStatus

COUNTED = tuple(f"task.{status}" for status in TaskStatus)
"""The tally's kinds: tasks by status."""

OF_PRIORITY = "task.priority:"
"""The tally's kind for each priority."""

OF_MEMBER = "task.of:"
"""The tally's kind for each member, followed by the membership's id: tasks by assignee."""

_UNSHOWN = {"account_id", "version", "member_id", "deleted_at", "completed_at", "created_at", "updated_at"}
_PLAIN = [column for column in task.c if column.name not in _UNSHOWN]
_IDS = ("id", "client_id", "invoice_id", "created_by")

_STATUS = bindparam("status", type_=Text)
_PRIORITY = bindparam("priority", type_=Text)
_MEMBER = bindparam("member", type_=Uuid)
_FILTERS: dict[str, ColumnElement[bool]] = {
    "status": task.c.status == _STATUS,
    "priority": task.c.priority == _PRIORITY,
    "member": task.c.member_id == _MEMBER,
    "nobody": task.c.member_id.is_(None),
    "due_before": task.c.due_date < bindparam("due_before", type_=Date),
}


@cache
def list_statement(filters: frozenset[str]) -> Prepared[PageRow]:
    """Tasks by position, then age. Each filter brings its parameter along, `nobody` alone the count `unassigned`."""
    wanted = [task.c.deleted_at.is_(None), *(_FILTERS[name] for name in sorted(filters))]
    rows = select(*_wire_columns()).where(*wanted).order_by(task.c.position, task.c.id)
    counted = select(func.count()).select_from(task).where(*wanted).scalar_subquery()
    return page_statement(rows, _TALLIED.get(filters, counted))


def _tallied(kind: ColumnElement[str]) -> ColumnElement[int]:
    return (
        select(func.coalesce(func.sum(counters.counter.c.count), 0))
        .where(counters.counter.c.kind == kind)
        .scalar_subquery()
    )


_TALLIED: dict[frozenset[str], ColumnElement[int]] = {
    frozenset(): counters.total(COUNTED),
    frozenset({"status"}): _tallied(func.concat("task.", _STATUS)),
    frozenset({"priority"}): _tallied(func.concat(OF_PRIORITY, _PRIORITY)),
    frozenset({"nobody"}): bindparam("unassigned", type_=BigInteger),
    frozenset({"member"}): _tallied(func.concat(OF_MEMBER, _MEMBER)),
}


def _wire_columns() -> list[Label[Any]]:
    times = ("completed_at", "created_at", "updated_at")
    return [
        *(wire_column(column.name, column) for column in _PLAIN),
        wire_column("assigned_to", members.user_of(task.c.member_id)),
        *(wire_column(name, wire_time(task.c[name])) for name in times),
    ]


async def as_task(ctx: Context, row: Any) -> Task:
    return shape(row, await members.user_id(ctx, row.member_id))


def shape(row: Any, assigned_to: str | None) -> Task:
    plain = {name: getattr(row, name) for name in Task.model_fields if name != "assigned_to"}
    ids = {name: None if plain[name] is None else str(plain[name]) for name in _IDS}
    return Task.model_validate(plain | ids | {"assigned_to": assigned_to})
