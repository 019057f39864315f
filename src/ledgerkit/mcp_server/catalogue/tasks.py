"""Tools about the team's tasks."""

from collections.abc import Awaitable
from enum import StrEnum

from ledgerkit.core.platform.api_types.fields import Day, Flag, ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.tasks import operations as tasks
from ledgerkit.core.tasks.api import (
    Assignee,
    Assignment,
    Position,
    StatusChange,
    Task,
    TaskChange,
    TaskInput,
    TaskPriority,
    TaskStatus,
)
from ledgerkit.core.teams.members import operations as members
from ledgerkit.mcp_server.answers import brief, continued, paged
from ledgerkit.mcp_server.catalogue.names import with_names
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.shapes import Keyed, OptionalId, PageQuery, RecordId, require_filters_of
from ledgerkit.mcp_server.tool import Tool, saving
from ledgerkit.problems import Invalid

BRIEF = ("id", "title", "status", "priority", "dueDate", "assignedTo", "clientId", "invoiceId", "tags")

_ENTRY = ("createdAt", "userName", "channel", "action", "changes")
_LATEST = 10
"""Entries of its history that a task's record has."""


class TaskView(StrEnum):
    ALL = "all"
    MINE = "mine"
    OVERVIEW = "overview"


class TaskQuery(PageQuery):
    view: TaskView = TaskView.ALL
    status: TaskStatus | None = None
    priority: TaskPriority | None = None
    assigned_to: ShortText | None = None
    due_before: Day | None = None

    def conditions(self) -> tasks.TaskFilter:
        """Return the filter of the list."""
        return tasks.TaskFilter(
            status=self.status, priority=self.priority, assigned_to=self.assigned_to, due_before=self.due_before
        )


class TaskMove(RecordId):
    """Exactly one of: another status, another person, or the completion of a task in review."""

    status: TaskStatus | None = None
    position: Position = None
    assigned_to: Assignee = None
    complete: Flag = False


class SavedTask(Keyed, OptionalId, TaskChange):
    """A task to create or, with its id, to change."""


async def _get(ctx: Context, arguments: RecordId) -> Json:
    async with ctx.reading() as inner:
        task = await with_names(inner, as_json(await tasks.get(inner, arguments.id)))
        entries = await _latest(inner, task["id"])
    return {**task, **entries}


async def _latest(ctx: Context, task_id: str) -> Json:
    """Return the latest entries of a task's history, newest first, their number, and the call that shows the rest."""
    page = await tasks.history(ctx, task_id, PageRequest(1, _LATEST))
    if page.total > _LATEST:
        page = await tasks.history(ctx, task_id, PageRequest(1, _LATEST, first=page.total - _LATEST))
    entries = [brief(entry, _ENTRY) for entry in as_json(page)["items"]][::-1]
    continuation = {"more": continued("get_history", type="task", id=task_id)} if page.total > _LATEST else {}
    return {"history": entries, "historyCount": page.total, **continuation}


async def _list(ctx: Context, arguments: TaskQuery) -> Json:
    if arguments.view is not TaskView.ALL:
        require_filters_of(arguments, arguments.view)
    if arguments.view is TaskView.OVERVIEW:
        return as_json(await tasks.overview(ctx))

    def page_of(page: PageRequest) -> Awaitable[Page]:
        if arguments.view is TaskView.MINE:
            return tasks.assigned_to_caller(ctx, page)
        return tasks.listing(ctx, page, arguments.conditions())

    return await with_names(ctx, await paged(page_of, arguments, BRIEF))


async def _move(ctx: Context, arguments: TaskMove) -> Json:
    wishes = {"status", "assigned_to", "complete"} & arguments.model_fields_set
    if len(wishes) != 1:
        raise Invalid.field("status", McpMsg.ONE_MOVE)
    return await with_names(ctx, as_json(await _moved(ctx, arguments)))


async def _moved(ctx: Context, arguments: TaskMove) -> Task:
    if arguments.status is not None:
        data = StatusChange(status=arguments.status, position=arguments.position)
        return await tasks.set_status(ctx, arguments.id, data)
    if arguments.complete:
        return await tasks.complete(ctx, arguments.id)
    return await tasks.assign(ctx, arguments.id, Assignment(assigned_to=arguments.assigned_to))


_save = saving(tasks.create, TaskInput, tasks.update, TaskChange)


async def _saved(ctx: Context, arguments: SavedTask) -> Json:
    return await with_names(ctx, as_json(await _save(ctx, arguments)))


_NAMING = (clients.get, invoices.get, members.list_members)
"""Operations that find the names beside ids."""

TOOLS = (
    Tool(
        name="get_task",
        title="Task details (tarea)",
        description="Read one task by id (list_tasks), with its history (recado: qué era).",
        scope=Scope.READ,
        operations=(tasks.get, tasks.history, *_NAMING),
        arguments=RecordId,
        is_long=True,
        run=_get,
    ),
    Tool(
        name="list_tasks",
        title="Find tasks (tareas)",
        description=(
            "List tasks of the board by status, priority, person or due date; view mine: yours; view overview: "
            "counts by status and member (hacer tengo hoy pendiente queda algo semana apunta cosas dime recados todo "
            "atrasado mañana olvida toca; anything plate week today list job show got before forgotten late read "
            "pending get thing remind overdue)."
        ),
        scope=Scope.READ,
        operations=(tasks.listing, tasks.assigned_to_caller, tasks.overview, *_NAMING),
        arguments=TaskQuery,
        hints={"assignedTo": "User id, or `none`"},
        run=_list,
    ),
    Tool(
        name="move_task",
        title="Move, finish or assign a task",
        description=(
            "Move a task: one of status, assignedTo (user id of get_team) or complete, for one in review (hecho "
            "pasado táchalo semana presupuesto inventario archivo renovar revisar; off push tick start next called "
            "cross week thing begun waiting list progress till now shift mark rung)."
        ),
        scope=Scope.WRITE,
        operations=(tasks.set_status, tasks.assign, tasks.complete, *_NAMING),
        arguments=TaskMove,
        run=_move,
    ),
    Tool(
        name="save_task",
        title="Create or change a task (recordatorio)",
        description=(
            "Create a task with title, due date, priority, person, client or invoice, or change one by id (llamar "
            "pasado antes tengo apunta pedir itv pon compra renovar; remind down order need list put renew ring jot "
            "note forget chase called urgent fix say make next). To move one: move_task."
        ),
        scope=Scope.WRITE,
        operations=(tasks.create, tasks.update, *_NAMING),
        arguments=SavedTask,
        creates=TaskInput,
        described=(
            "id",
            "title",
            "description",
            "status",
            "priority",
            "dueDate",
            "assignedTo",
            "clientId",
            "invoiceId",
            "tags",
        ),
        hints={"id": "Only to change"},
        run=_saved,
    ),
)
