"""Tasks as callers see them: single ones built from a row, lists rendered by the database."""

from functools import cache
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Date, Label, Text, Uuid, bindparam, func, select

from ledgerkit.core.api_types.paging import PageRow, page_statement
from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.identity import members
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.core.tasks.models import TaskRow, task
from ledgerkit.core.tasks.schemas import Task, TaskStatus

STATUS_KINDS = tuple(f"task.{status}" for status in TaskStatus)
"""Kinds of the counters of tasks by status."""

PRIORITY_KIND = "task.priority:"
"""Beginning of the kind of a priority's counter."""

MEMBER_KIND = "task.of:"
"""Beginning of the kind of a member's counter, before the membership's id."""

_HIDDEN_COLUMNS = {"account_id", "version", "member_id", "deleted_at", "completed_at", "created_at", "updated_at"}
_PLAIN_COLUMNS = [column for column in task.c if column.name not in _HIDDEN_COLUMNS]
_ID_FIELDS = ("id", "client_id", "invoice_id", "created_by")

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
    """Return the statement of a list of tasks by position, then age.

    Each filter needs a parameter of its name; `nobody` needs none, but alone the total as `unassigned`.
    """
    conditions = [task.c.deleted_at.is_(None), *(_FILTERS[name] for name in sorted(filters))]
    rows = select(*_wire_columns()).where(*conditions).order_by(task.c.position, task.c.id)
    counted_rows = select(func.count()).select_from(task).where(*conditions).scalar_subquery()
    return page_statement(rows, _COUNTERS.get(filters, counted_rows))


def _counted(kind: ColumnElement[str]) -> ColumnElement[int]:
    return (
        select(func.coalesce(func.sum(counters.counter.c.count), 0))
        .where(counters.counter.c.kind == kind)
        .scalar_subquery()
    )


_COUNTERS: dict[frozenset[str], ColumnElement[int]] = {
    frozenset(): counters.total(STATUS_KINDS),
    frozenset({"status"}): _counted(func.concat("task.", _STATUS)),
    frozenset({"priority"}): _counted(func.concat(PRIORITY_KIND, _PRIORITY)),
    frozenset({"nobody"}): bindparam("unassigned", type_=BigInteger),
    frozenset({"member"}): _counted(func.concat(MEMBER_KIND, _MEMBER)),
}


def _wire_columns() -> list[Label[Any]]:
    times = ("completed_at", "created_at", "updated_at")
    return [
        *(wire_column(column.name, column) for column in _PLAIN_COLUMNS),
        wire_column("assigned_to", members.user_of(task.c.member_id)),
        *(wire_column(name, wire_time(task.c[name])) for name in times),
    ]


async def as_task(ctx: Context, row: TaskRow) -> Task:
    return shape(row, await members.user_id(ctx, row.member_id))


def shape(row: TaskRow, assigned_to: str | None) -> Task:
    values = {name: getattr(row, name) for name in Task.model_fields if name != "assigned_to"}
    ids = {name: None if values[name] is None else str(values[name]) for name in _ID_FIELDS}
    return Task.model_validate(values | ids | {"assigned_to": assigned_to})
