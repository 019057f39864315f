"""Tasks as callers see them: single ones built from a row, lists rendered by the database."""

from sqlalchemy import BigInteger, ColumnElement, Date, Text, Uuid, bindparam, func, select

from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.records.listing import Listing
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.tasks.api import Task, TaskStatus
from ledgerkit.core.tasks.table import TaskRow, task

STATUS_KINDS = tuple(f"task.{status}" for status in TaskStatus)
"""Kinds of the counters of tasks by status."""

PRIORITY_KIND = "task.priority:"
"""Beginning of the kind of a priority's counter."""

MEMBER_KIND = "task.of:"
"""Beginning of the kind of a member's counter, before the membership's id."""

_STATUS = bindparam("status", type_=Text)
_PRIORITY = bindparam("priority", type_=Text)
_MEMBER = bindparam("member", type_=Uuid)


def _counted(kind: ColumnElement[str]) -> ColumnElement[int]:
    return (
        select(func.coalesce(func.sum(counters.counter.c.count), 0))
        .where(counters.counter.c.kind == kind)
        .scalar_subquery()
    )


TASKS = Listing(
    task,
    Task,
    order=[task.c.position, task.c.id],
    computed={"assigned_to": members.user_of(task.c.member_id)},
    filters={
        "status": task.c.status == _STATUS,
        "priority": task.c.priority == _PRIORITY,
        "member": task.c.member_id == _MEMBER,
        "nobody": task.c.member_id.is_(None),
        "due_before": task.c.due_date < bindparam("due_before", type_=Date),
    },
    totals={
        frozenset(): counters.total(STATUS_KINDS),
        frozenset({"status"}): _counted(func.concat("task.", _STATUS)),
        frozenset({"priority"}): _counted(func.concat(PRIORITY_KIND, _PRIORITY)),
        frozenset({"nobody"}): bindparam("unassigned", type_=BigInteger),
        frozenset({"member"}): _counted(func.concat(MEMBER_KIND, _MEMBER)),
    },
)
"""By position, then age. The filter `nobody` has no parameter, but alone the total as `unassigned`."""


async def as_task(ctx: Context, row: TaskRow) -> Task:
    return shape(row, await members.user_id(ctx, row.member_id))


def shape(row: TaskRow, assigned_to: str | None) -> Task:
    return TASKS.shape(row, assigned_to=assigned_to)
