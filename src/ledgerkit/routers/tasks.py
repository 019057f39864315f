"""/api/tasks."""

from typing import Annotated

from fastapi import Query, Request, Response

from ledgerkit.core.platform.activity.api import ActivityLog
from ledgerkit.core.platform.api_types.fields import Day, ShortText
from ledgerkit.core.platform.api_types.list_pages import UNPAGED_SIZE
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.core.tasks import operations as tasks
from ledgerkit.core.tasks.api import (
    Assignment,
    StatusChange,
    Task,
    TaskChange,
    TaskInput,
    TaskOverview,
    TaskPriority,
    TaskStatus,
)
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, listed, paged, tagged
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/tasks", tags=["Tasks"], about="The team's board.")

AssignedTo = Annotated[
    ShortText | None, Query(alias="assignedTo", description="User id of a member, or `none` for nobody's tasks")
]
DueBefore = Annotated[Day | None, Query(alias="dueBefore", description="Due before this day")]


@router.get("", operation=tasks.listing, operation_id="listTasks", response_model=list[Task])
async def list_tasks(
    request: Request,
    ctx: Ctx,
    page: PageNumber = None,
    limit: Limit = None,
    status: TaskStatus | None = None,
    priority: TaskPriority | None = None,
    assigned_to: AssignedTo = None,
    due_before: DueBefore = None,
) -> Response:
    """List tasks by position, up to a thousand unless `page` or `limit` is given."""
    conditions = tasks.TaskFilter(status=status, priority=priority, assigned_to=assigned_to, due_before=due_before)
    return listed(request, await tasks.listing(ctx, paged(page, limit, unasked=UNPAGED_SIZE), conditions))


@router.post("", operation=tasks.create, operation_id="createTask", status_code=201)
async def create_task(ctx: Ctx, data: TaskInput) -> Task:
    """Create a task, the last of its column unless a position is given."""
    return tagged(ctx, await tasks.create(ctx, data))


@router.get("/my", operation=tasks.assigned_to_caller, operation_id="listMyTasks", response_model=list[Task])
async def list_my_tasks(request: Request, ctx: Ctx, page: PageNumber = None, limit: Limit = None) -> Response:
    """List the tasks assigned to you; with a team's key, to the owner."""
    return listed(request, await tasks.assigned_to_caller(ctx, paged(page, limit, unasked=UNPAGED_SIZE)))


@router.get("/overview", operation=tasks.overview, operation_id="getTaskOverview")
async def get_task_overview(ctx: Ctx) -> TaskOverview:
    """Count the tasks by status and by member."""
    return await tasks.overview(ctx)


@router.get("/{id}", operation=tasks.get, operation_id="getTask")
async def get_task(ctx: Ctx, id: str) -> Task:
    """Return one task, with its version as ETag."""
    return tagged(ctx, await tasks.get(ctx, id))


@router.put("/{id}", operation=tasks.update, operation_id="updateTask")
async def update_task(ctx: Ctx, id: str, data: TaskChange) -> Task:
    """Change the fields given; absent ones keep their value."""
    return tagged(ctx, await tasks.update(ctx, id, data))


@router.delete("/{id}", operation=tasks.delete, operation_id="deleteTask")
async def delete_task(ctx: Ctx, id: str) -> Ok:
    """Delete a task; members may delete those they created."""
    await tasks.delete(ctx, id)
    return Ok()


@router.patch("/{id}/status", operation=tasks.set_status, operation_id="setTaskStatus")
async def set_task_status(ctx: Ctx, id: str, data: StatusChange) -> Task:
    """Move a task to another column, from any status to any."""
    return tagged(ctx, await tasks.set_status(ctx, id, data))


@router.patch("/{id}/assign", operation=tasks.assign, operation_id="assignTask")
async def assign_task(ctx: Ctx, id: str, data: Assignment) -> Task:
    """Assign a task to a member of the team; null leaves it unassigned."""
    return tagged(ctx, await tasks.assign(ctx, id, data))


@router.patch("/{id}/complete", operation=tasks.complete, operation_id="completeTask")
async def complete_task(ctx: Ctx, id: str) -> Task:
    """Complete a task that is in review."""
    return tagged(ctx, await tasks.complete(ctx, id))


@router.get("/{id}/history", operation=tasks.history, operation_id="getTaskHistory", response_model=list[ActivityLog])
async def get_task_history(
    request: Request, ctx: Ctx, id: str, page: PageNumber = None, limit: Limit = None
) -> Response:
    """List the changes of a task and who made them, oldest first."""
    return listed(request, await tasks.history(ctx, id, paged(page, limit, unasked=UNPAGED_SIZE)))
