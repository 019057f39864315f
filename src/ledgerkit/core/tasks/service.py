"""Tasks: the team's board. Find, keep, move, assign, complete, hide."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

import asyncpg

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.api_types.paging import Page, PageRequest, fetch_page
from ledgerkit.core.clients import service as clients
from ledgerkit.core.database.ids import NO_ID, as_id, missing, new_id
from ledgerkit.core.identity import members
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.core.tasks import board, shapes
from ledgerkit.core.tasks.models import task
from ledgerkit.core.tasks.schemas import (
    AssigneeCount,
    Assignment,
    StatusChange,
    Task,
    TaskChange,
    TaskInput,
    TaskOverview,
    TaskPriority,
    TaskStatus,
)
from ledgerkit.problems import Code, Invalid, bilingual, bilingual_field

NOBODY = "none"
"""As a filter: tasks that are assigned to nobody."""

_ACTIONS = {"status": "status_changed", "assigned_to": "assigned"}
"""What a change of these fields is called in the log; that of all others, `updated`."""


@dataclass(frozen=True, kw_only=True)
class TaskFilter:
    """Which tasks: `assigned_to` is a user's id or `none`, `due_before` a day that is not included."""

    status: TaskStatus | None = None
    priority: TaskPriority | None = None
    assigned_to: str | None = None
    due_before: date | None = None


@operation(Permission.TASKS_READ, unit=Unit.READING)
async def listing(ctx: Context, page: PageRequest, wanted: TaskFilter) -> Page:
    """Tasks by position, then age. Nobody's tasks are those of a user who is no member."""
    values = {"status": wanted.status, "priority": wanted.priority, "due_before": wanted.due_before}
    given: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    filters = set(given)
    if wanted.assigned_to == NOBODY:
        filters.add("nobody")
        if not given:
            given["unassigned"] = (await _workload(ctx)).unassigned
    elif wanted.assigned_to is not None:
        filters.add("member")
        given["member"] = await members.find(ctx, wanted.assigned_to) or NO_ID
    return await fetch_page(ctx.db, shapes.list_statement(frozenset(filters)), page, **given)


@operation(Permission.TASKS_READ, unit=Unit.READING)
async def mine(ctx: Context, page: PageRequest) -> Page:
    """Tasks assigned to whoever asks; to the owner when a team's key asks."""
    member = await members.own(ctx) or NO_ID
    return await fetch_page(ctx.db, shapes.list_statement(frozenset({"member"})), page, member=member)


@operation(Permission.TASKS_READ, unit=Unit.READING)
async def overview(ctx: Context) -> TaskOverview:
    """How many tasks there are in each status, and of each member who has one: those with the most first."""
    load = await _workload(ctx)
    nobody = AssigneeCount(id=None, name=None, email=None, count=load.unassigned)
    busy = sorted(load.by_member, key=lambda entry: -entry.count)
    return TaskOverview(by_status=load.by_status, by_assignee=[*busy, nobody])


@operation(Permission.TASKS_READ, unit=Unit.READING)
async def get(ctx: Context, task_id: str) -> Task:
    return await shapes.as_task(ctx, await records.fetch(ctx, task, task_id, "task"))


@operation(Permission.TASKS_READ, unit=Unit.READING)
async def history(ctx: Context, task_id: str, page: PageRequest) -> Page:
    """What was done to a task, oldest first."""
    row = await records.fetch(ctx, task, task_id, "task")
    return await activity.history(ctx, ("task", row.id), page)


@operation(Permission.TASKS_WRITE)
async def create(ctx: Context, data: TaskInput) -> Task:
    """A new task, the last of its column unless a position is given.

    Raises Invalid ASSIGNEE_NOT_MEMBER, NotFound for an unknown clientId or invoiceId.
    """
    if data.position is not None:
        await board.hold(ctx)
    task_id = new_id()
    given = data.model_dump()
    values = {**given, **await _references(ctx, given), **_completion(data.status)}
    del values["assigned_to"]
    values["position"] = await _place(ctx, task_id, data.status, data.position)
    own = {"id": task_id, "created_by": ctx.actor.user_id, "channel": ctx.actor.channel.value}
    with _UnknownInvoice(data.invoice_id):
        row = await records.add(ctx, task, {**values, **own})
    await counters.add(ctx.db, _counted(row, 1))
    await activity.record(ctx, "created", ("task", row.id), row.title)
    return await shapes.as_task(ctx, row)


@operation(Permission.TASKS_WRITE)
async def update(ctx: Context, task_id: str, data: TaskChange) -> Task:
    """Change the fields given. Raises as `create` does."""
    given = {name: getattr(data, name) for name in TaskChange.model_fields if name in data.model_fields_set}
    return await _changed(ctx, await _locked(ctx, task_id, data.position), given)


@operation(Permission.TASKS_WRITE)
async def set_status(ctx: Context, task_id: str, data: StatusChange) -> Task:
    """Move a task to another column: behind all that are there, unless a position is given."""
    given = {"status": data.status, "position": data.position}
    return await _changed(ctx, await _locked(ctx, task_id, data.position), given)


@operation(Permission.TASKS_WRITE)
async def assign(ctx: Context, task_id: str, data: Assignment) -> Task:
    """Give a task to a member, or to nobody. Raises Invalid ASSIGNEE_NOT_MEMBER."""
    return await _changed(ctx, await _locked(ctx, task_id, None), {"assigned_to": data.assigned_to})


@operation(Permission.TASKS_WRITE)
async def complete(ctx: Context, task_id: str) -> Task:
    """What was reviewed is done. Raises Invalid TASK_NOT_IN_REVIEW."""
    old = await _locked(ctx, task_id, None)
    if old.status != TaskStatus.REVIEW:
        raise bilingual(
            Invalid,
            (
                f"The task is in {old.status}, and only what is in review can be completed.",
                "Move it with PATCH /api/tasks/{id}/status {status: review} first, or straight to done.",
            ),
            (
                f"La tarea está en {old.status}, y solo se completa lo que está en review.",
                "Muévela antes con PATCH /api/tasks/{id}/status {status: review}, o directamente a done.",
            ),
            code=Code.TASK_NOT_IN_REVIEW,
        )
    return await _changed(ctx, old, {"status": TaskStatus.DONE}, {"status": "completed"})


@operation(Permission.TASKS_WRITE)
async def delete(ctx: Context, task_id: str) -> None:
    """Hide a task. A member hides tasks of their own making only (interface decisions R)."""
    row = await records.fetch_locked(ctx, task, task_id, "task")
    if row.created_by is None or row.created_by != ctx.actor.user_id:
        ctx.require(Permission.TASKS_DELETE_ANY)
    await records.change(ctx, task, row.id, {"deleted_at": clock.now()})
    await counters.add(ctx.db, _counted(row, -1))
    await activity.record(ctx, "deleted", ("task", row.id), row.title)


@dataclass(frozen=True, kw_only=True)
class _Workload:
    by_status: dict[TaskStatus, int]
    by_member: list[AssigneeCount]

    @property
    def unassigned(self) -> int:
        """What no member has: those who left keep counts that nobody asks for any more."""
        return sum(self.by_status.values()) - sum(entry.count for entry in self.by_member)


async def _workload(ctx: Context) -> _Workload:
    """The tally of the account's tasks, members without any left out: two statements, whatever the number of tasks."""
    people = await members.everybody(ctx)
    kinds = {row.id: f"{shapes.OF_MEMBER}{row.id}" for row in people}
    counts = await counters.read(ctx.db, [*shapes.COUNTED, *kinds.values()])
    by_member = [
        AssigneeCount(id=str(row.user_id), name=row.name, email=row.email, count=counts[kinds[row.id]])
        for row in people
        if counts.get(kinds[row.id])
    ]
    return _Workload(by_status={one: counts.get(f"task.{one}", 0) for one in TaskStatus}, by_member=by_member)


async def _locked(ctx: Context, task_id: str, position: int | None) -> Any:
    """The task's row under its lock; under the board's too, and first, when it is put at a place."""
    if position is not None:
        await board.hold(ctx)
    return await records.fetch_locked(ctx, task, task_id, "task")


async def _changed(ctx: Context, old: Any, given: Mapping[str, Any], actions: Mapping[str, str] = _ACTIONS) -> Task:
    before = shapes.shape(old, await members.user_id(ctx, old.member_id)).model_dump(
        include=set(TaskInput.model_fields)
    )
    kept = {name: value for name, value in given.items() if name != "position" or value is not None}
    changes = activity.changed(before, kept)
    values = {name: new for name, (_, new) in changes.items() if name != "assigned_to"}
    values |= await _references(ctx, {name: new for name, (_, new) in changes.items()})
    if "status" in changes:
        values |= _completion(kept["status"])
    if "status" in changes or "position" in changes:
        status = values.get("status", old.status)
        values["position"] = await _place(ctx, old.id, status, kept.get("position"))
    with _UnknownInvoice(kept.get("invoice_id")):
        row = await records.change(ctx, task, old.id, values)
    await counters.add(ctx.db, _moved(old, row))
    await _log(ctx, row, changes, actions)
    return await shapes.as_task(ctx, row)


async def _log(ctx: Context, row: Any, changes: activity.Changes, names: Mapping[str, str]) -> None:
    """One entry for each kind of change, so that a history tells moves and assignments from edits."""
    actions: dict[str, dict[str, Any]] = {}
    if "status" in changes:
        names = {**names, "position": names["status"]}
    for field, change in changes.items():
        actions.setdefault(names.get(field, "updated"), {})[field] = change
    if actions:
        await activity.record_all(ctx, ("task", row.id), row.title, actions)


async def _place(ctx: Context, task_id: UUID, status: str, position: int | None) -> int:
    """The position asked for, freed; without one, the end of the column."""
    if position is None:
        return await board.end(ctx, status)
    await board.clear(ctx, status, position, task_id)
    return position


async def _references(ctx: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of the records that `given` names. Raises Invalid ASSIGNEE_NOT_MEMBER, NotFound."""
    found: dict[str, Any] = {}
    if "assigned_to" in given:
        found["member_id"] = await _member(ctx, given["assigned_to"])
    if "client_id" in given:
        client_id = given["client_id"]
        found["client_id"] = None if client_id is None else (await clients.stored(ctx, client_id)).id
    if "invoice_id" in given:
        invoice_id = given["invoice_id"]
        found["invoice_id"] = None if invoice_id is None else as_id(invoice_id, "invoice")
    return found


async def _member(ctx: Context, user_id: str | None) -> UUID | None:
    if user_id is None:
        return None
    member = await members.find(ctx, user_id, hold=True)
    if member is not None:
        return member
    english, spanish = _STRANGER if ctx.account.is_team else _NOBODY_ELSE
    raise bilingual_field("assignedTo", english, spanish, code=Code.ASSIGNEE_NOT_MEMBER)


_STRANGER = (
    ("is no member of the team", "GET /api/teams/current lists the members: send a userId from there."),
    ("no es miembro del equipo", "GET /api/teams/current enumera los miembros: envía un userId de ahí."),
)
_NOBODY_ELSE = (
    ("is not you, and you have no team", "Send your own user id of GET /auth/me, or create a team."),
    ("no eres tú, y no tienes equipo", "Envía tu propio id de GET /auth/me, o crea un equipo."),
)


class _UnknownInvoice:
    """Tasks do not know invoices (the ladder): the database's own check tells that there is none of this id."""

    def __init__(self, invoice_id: str | None) -> None:
        self._invoice_id = invoice_id

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, asyncpg.ForeignKeyViolationError) and error.constraint_name == _OF_INVOICE:
            raise missing("invoice", self._invoice_id) from error


_OF_INVOICE = "fk_task_account_id_invoice_id"


def _completion(status: str) -> dict[str, Any]:
    return {"completed_at": clock.now() if status == TaskStatus.DONE else None}


def _counted(row: Any, number: int) -> dict[str, int]:
    """What a task adds to the tally: to its status, its priority and its assignee."""
    own = {} if row.member_id is None else {f"{shapes.OF_MEMBER}{row.member_id}": number}
    return {f"task.{row.status}": number, f"{shapes.OF_PRIORITY}{row.priority}": number, **own}


def _moved(old: Any, new: Any) -> dict[str, int]:
    before, after = _counted(old, -1), _counted(new, 1)
    return {kind: before.get(kind, 0) + after.get(kind, 0) for kind in before.keys() | after.keys()}
