"""Tasks on the team's board: list, read, create, change, move, assign, complete and delete them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

import asyncpg
from sqlalchemy import func

from ledgerkit import clock
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest
from ledgerkit.core.platform.attachments.api import DocumentType
from ledgerkit.core.platform.attachments.documents.kinds import DocumentKind, declare
from ledgerkit.core.platform.attachments.removal import contents as removal
from ledgerkit.core.platform.database.ids import NO_ID, as_id, missing, new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.tasks import acts, output
from ledgerkit.core.tasks.api import (
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
from ledgerkit.core.tasks.board import positions as board
from ledgerkit.core.tasks.table import TaskRow, task
from ledgerkit.core.tasks.texts import TasksMsg
from ledgerkit.problems import Code, Invalid, NotFound

NOBODY = "none"
"""Value of the filter `assigned_to` for tasks that are assigned to nobody."""

_ACTIONS = {"status": "status_changed", "assigned_to": "assigned"}
"""Actions in the activity log by the field that changed; a change of any other field is `updated`."""


@dataclass(frozen=True, kw_only=True)
class TaskFilter:
    """Filter of a list of tasks: `assigned_to` is a user's id or `none`, `due_before` a day that is not included."""

    status: TaskStatus | None = None
    priority: TaskPriority | None = None
    assigned_to: str | None = None
    due_before: date | None = None


@operation(Permission.TASKS_READ, unit=Unit.READING)
async def listing(ctx: Context, page: PageRequest, task_filter: TaskFilter) -> Page:
    """List tasks by position, then age. For a user who is not a member the list is empty."""
    values = {"status": task_filter.status, "priority": task_filter.priority, "due_before": task_filter.due_before}
    parameters: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    filters = set(parameters)
    if task_filter.assigned_to == NOBODY:
        filters.add("nobody")
        if not parameters:
            parameters["unassigned"] = (await _workload(ctx)).unassigned
    elif task_filter.assigned_to is not None:
        filters.add("member")
        parameters["member"] = await members.find(ctx, task_filter.assigned_to) or NO_ID
    return await output.TASKS.page(ctx.db, page, filters, **parameters)


@operation(Permission.TASKS_READ, unit=Unit.READING)
async def assigned_to_caller(ctx: Context, page: PageRequest) -> Page:
    """List the tasks assigned to the caller, or to the owner when the caller is a team's API key."""
    member = await members.of_actor(ctx) or NO_ID
    return await output.TASKS.page(ctx.db, page, member=member)


@operation(Permission.TASKS_READ, unit=Unit.READING)
async def overview(ctx: Context) -> TaskOverview:
    """Count the tasks by status and by member, members with the most tasks first, and the unassigned ones."""
    load = await _workload(ctx)
    nobody = AssigneeCount(id=None, name=None, email=None, count=load.unassigned)
    busy = sorted(load.by_member, key=lambda entry: -entry.count)
    return TaskOverview(by_status=load.by_status, by_assignee=[*busy, nobody])


@operation(Permission.TASKS_READ, unit=Unit.READING)
async def get(ctx: Context, task_id: str) -> Task:
    return await output.as_task(ctx, await records.fetch(ctx, task, task_id, "task"))


@operation(Permission.TASKS_READ, unit=Unit.READING)
async def history(ctx: Context, task_id: str, page: PageRequest) -> Page:
    """List the activity log of a task, oldest first."""
    row = await records.fetch(ctx, task, task_id, "task")
    return await activity.history(ctx, ("task", row.id), page)


@operation(
    Permission.TASKS_WRITE,
    errors=[(Invalid, {Code.ASSIGNEE_NOT_MEMBER}), (NotFound, {Code.NOT_FOUND})],
    act=acts.CREATION,
)
async def create(ctx: Context, data: TaskInput) -> Task:
    """Create a task, the last of its column unless a position is given.

    Raises Invalid ASSIGNEE_NOT_MEMBER, NotFound for an unknown clientId or invoiceId.
    """
    if data.position is not None:
        await board.lock(ctx)
    task_id = new_id()
    sent = data.model_dump()
    plain = Values.copied(TaskRow, data, [name for name in sent if name not in _LINKS])
    values = plain | await _references(ctx, sent) | _completion_columns(data.status)
    placed = Values(
        TaskRow,
        id=task_id,
        position=await _position_for(ctx, task_id, data.status, data.position),
        created_by=ctx.actor.user_id,
        channel=ctx.actor.channel.value,
    )
    with _known_invoice(data.invoice_id):
        row = await records.add(ctx, task, values | placed)
    await counters.add(ctx.db, _counter_values(row, 1))
    await activity.record(ctx, "created", ("task", row.id), row.title)
    return await output.as_task(ctx, row)


@operation(
    Permission.TASKS_WRITE, errors=[(Invalid, {Code.ASSIGNEE_NOT_MEMBER})], effects=Effect.IDEMPOTENT, act=acts.CHANGE
)
async def update(ctx: Context, task_id: str, data: TaskChange) -> Task:
    """Change the fields given. Raises as `create` does."""
    changed_fields = {name: getattr(data, name) for name in TaskChange.model_fields if name in data.model_fields_set}
    return await _changed(ctx, await _locked(ctx, task_id, data.position), changed_fields)


@operation(Permission.TASKS_WRITE, effects=Effect.IDEMPOTENT, act=acts.MOVE)
async def set_status(ctx: Context, task_id: str, data: StatusChange) -> Task:
    """Move a task to another column, behind all tasks there unless a position is given."""
    changed_fields = {"status": data.status, "position": data.position}
    return await _changed(ctx, await _locked(ctx, task_id, data.position), changed_fields)


@operation(
    Permission.TASKS_WRITE,
    errors=[(Invalid, {Code.ASSIGNEE_NOT_MEMBER})],
    effects=Effect.IDEMPOTENT,
    act=acts.ASSIGNMENT,
)
async def assign(ctx: Context, task_id: str, data: Assignment) -> Task:
    """Assign a task to a member, or to nobody. Raises Invalid ASSIGNEE_NOT_MEMBER."""
    return await _changed(ctx, await _locked(ctx, task_id, None), {"assigned_to": data.assigned_to})


@operation(
    Permission.TASKS_WRITE,
    errors=[(Invalid, {Code.TASK_NOT_IN_REVIEW})],
    effects=Effect.IDEMPOTENT,
    act=acts.COMPLETION,
)
async def complete(ctx: Context, task_id: str) -> Task:
    """Move a task from review to done. Raises Invalid TASK_NOT_IN_REVIEW."""
    old = await _locked(ctx, task_id, None)
    if old.status != TaskStatus.REVIEW:
        raise Invalid(TasksMsg.NOT_IN_REVIEW, code=Code.TASK_NOT_IN_REVIEW, status=old.status)
    return await _changed(ctx, old, {"status": TaskStatus.DONE}, {"status": "completed"})


@operation(Permission.TASKS_WRITE, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT, act=acts.DELETION)
async def delete(ctx: Context, task_id: str) -> None:
    """Delete a task. Members may delete tasks they created only (interface decisions R)."""
    row = await records.fetch_locked(ctx, task, task_id, "task")
    ctx.require_unless_own(row.created_by, Permission.TASKS_DELETE_ANY)
    await records.change(ctx, task, row.id, Values(TaskRow, deleted_at=clock.now()))
    files = await removal.release(ctx, ATTACHED, row)
    await counters.add(ctx.db, _counter_values(row, -1))
    await activity.record(ctx, "deleted", ("task", row.id), row.title, files)


async def restore(ctx: Context, task_id: str) -> None:
    """Show a deleted task again, in its place on the board. Raises NotFound, Forbidden."""
    ctx.require(Permission.TASKS_WRITE)
    row = await records.fetch_locked(ctx, task, task_id, "task", hidden=True)
    ctx.require_unless_own(row.created_by, Permission.TASKS_DELETE_ANY)
    if row.deleted_at is None:
        return
    await records.change(ctx, task, row.id, Values(TaskRow, deleted_at=None))
    await counters.add(ctx.db, _counter_values(row, 1))
    await activity.record(ctx, "restored", ("task", row.id), row.title)


async def move_client(ctx: Context, old: UUID, new: UUID) -> int:
    """Assign the tasks of the client `old` to the client `new`, and return their number."""
    return await records.repoint(ctx, task, "client_id", old=old, new=new)


async def forget_invoices(ctx: Context) -> None:
    """Remove the references of all the account's tasks to invoices."""
    named = task.c.invoice_id.is_not(None)
    changed = {"invoice_id": None, "version": task.c.version + 1, "updated_at": func.now()}
    await ctx.db.execute(task.update().where(named).values(changed))


@dataclass(frozen=True, kw_only=True)
class _Workload:
    by_status: dict[TaskStatus, int]
    by_member: list[AssigneeCount]

    @property
    def unassigned(self) -> int:
        """Number of tasks that no member has. It is not counted itself: former members' counters keep their values."""
        return sum(self.by_status.values()) - sum(entry.count for entry in self.by_member)


async def _workload(ctx: Context) -> _Workload:
    """Return the counts of the account's tasks, without members who have none: two statements, however many tasks."""
    people = await members.everybody(ctx)
    kinds = {row.id: f"{output.MEMBER_KIND}{row.id}" for row in people}
    counts = await counters.read(ctx.db, [*output.STATUS_KINDS, *kinds.values()])
    by_member = [
        AssigneeCount(id=str(row.user_id), name=row.name, email=row.email, count=counts[kinds[row.id]])
        for row in people
        if counts.get(kinds[row.id])
    ]
    return _Workload(by_status={status: counts.get(f"task.{status}", 0) for status in TaskStatus}, by_member=by_member)


async def _locked(ctx: Context, task_id: str, position: int | None) -> TaskRow:
    """Lock and return the task's row; for a given position lock the board first."""
    if position is not None:
        await board.lock(ctx)
    return await records.fetch_locked(ctx, task, task_id, "task")


async def _changed(
    ctx: Context, old: TaskRow, requested: Mapping[str, Any], actions: Mapping[str, str] = _ACTIONS
) -> Task:
    before = output.shape(old, await members.user_id(ctx, old.member_id)).model_dump(
        include=set(TaskInput.model_fields)
    )
    given_values = {name: value for name, value in requested.items() if name != "position" or value is not None}
    changes = activity.changed(before, given_values)
    new_values = {name: value for name, (_, value) in changes.items()}
    plain = {name: value for name, value in new_values.items() if name not in _LINKS}
    values = Values.named(TaskRow, plain) | await _references(ctx, new_values)
    if "status" in changes:
        values |= _completion_columns(given_values["status"])
    if "status" in changes or "position" in changes:
        status = str(values.get("status", old.status))
        position = await _position_for(ctx, old.id, status, given_values.get("position"))
        values |= Values(TaskRow, position=position)
        changes = {**changes, **activity.changed({"position": old.position}, {"position": position})}
    with _known_invoice(given_values.get("invoice_id")):
        row = await records.change(ctx, task, old.id, values)
    await counters.add(ctx.db, _counter_changes(old, row))
    await _log(ctx, row, changes, actions)
    return await output.as_task(ctx, row)


async def _log(ctx: Context, row: TaskRow, changes: activity.Changes, names: Mapping[str, str]) -> None:
    """Log one entry for each kind of change, so that the history separates moves and assignments from edits."""
    actions: dict[str, dict[str, tuple[object, object]]] = {}
    if "status" in changes:
        names = {**names, "position": names["status"]}
    for field, change in changes.items():
        actions.setdefault(names.get(field, "updated"), {})[field] = change
    if actions:
        await activity.record_all(ctx, ("task", row.id), row.title, actions)


async def _position_for(ctx: Context, task_id: UUID, status: str, position: int | None) -> int:
    """Return the requested position after making room there; without one, a position at the end of the column."""
    if position is None:
        return await board.last_position(ctx, status)
    await board.make_room(ctx, status, position, task_id)
    return position


async def _references(ctx: Context, named_records: Mapping[str, Any]) -> Values[TaskRow]:
    """Return the columns that refer to the named records. Raises Invalid ASSIGNEE_NOT_MEMBER, NotFound."""
    columns = Values(TaskRow)
    if "assigned_to" in named_records:
        columns |= Values(TaskRow, member_id=await _member(ctx, named_records["assigned_to"]))
    if "client_id" in named_records:
        client_id = named_records["client_id"]
        client = None if client_id is None else await clients.stored(ctx, client_id)
        columns |= Values(TaskRow, client_id=None if client is None else client.id)
    if "invoice_id" in named_records:
        invoice_id = named_records["invoice_id"]
        columns |= Values(TaskRow, invoice_id=None if invoice_id is None else as_id(invoice_id, "invoice"))
    return columns


async def _member(ctx: Context, user_id: str | None) -> UUID | None:
    if user_id is None:
        return None
    membership_id = await members.find(ctx, user_id, lock=True)
    if membership_id is not None:
        return membership_id
    message = TasksMsg.NOT_A_MEMBER if ctx.account.is_team else TasksMsg.ONLY_YOURSELF
    raise Invalid.field("assignedTo", message, code=Code.ASSIGNEE_NOT_MEMBER)


@contextmanager
def _known_invoice(invoice_id: str | None) -> Iterator[None]:
    """Turn the violation of the task's foreign key to invoices into NotFound.

    Tasks stand below invoices on the ladder of domains, so they cannot ask whether an invoice exists.
    """
    try:
        yield
    except asyncpg.ForeignKeyViolationError as error:
        if error.constraint_name != _INVOICE_FOREIGN_KEY:
            raise
        raise missing("invoice", invoice_id) from error


_LINKS = {"assigned_to", "client_id", "invoice_id"}
"""Fields that name other records."""

_INVOICE_FOREIGN_KEY = "fk_task_account_id_invoice_id"


def _completion_columns(status: str) -> Values[TaskRow]:
    return Values(TaskRow, completed_at=clock.now() if status == TaskStatus.DONE else None)


def _counter_values(row: TaskRow, number: int) -> dict[str, int]:
    """Return what a task adds to the counters of its status, its priority and its assignee."""
    by_member = {} if row.member_id is None else {f"{output.MEMBER_KIND}{row.member_id}": number}
    return {f"task.{row.status}": number, f"{output.PRIORITY_KIND}{row.priority}": number, **by_member}


def _counter_changes(before_row: TaskRow, after_row: TaskRow) -> dict[str, int]:
    before, after = _counter_values(before_row, -1), _counter_values(after_row, 1)
    return {kind: before.get(kind, 0) + after.get(kind, 0) for kind in before.keys() | after.keys()}


ATTACHED = declare(
    DocumentKind(
        type=DocumentType.TASK,
        table=task,
        what="task",
        read=Permission.TASKS_READ,
        write=Permission.TASKS_WRITE,
        link=None,
        last_day=lambda _: None,
    )
)
"""Files of tasks: no law says how long they have to be stored."""
