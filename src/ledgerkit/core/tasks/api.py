"""Schemas of tasks (interface decisions F)."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from ledgerkit.core.platform.api_types.fields import ONE_LINE, PRINTABLE, Day, LongText, WholeNumber
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.tasks.table import TaskRow

HIGHEST_POSITION = 10**12


class TaskStatus(StrEnum):
    BACKLOG = "backlog"
    TO_DO = "todo"
    IN_PROGRESS = "in_progress"
    REVIEW = "review"
    DONE = "done"


class TaskPriority(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    URGENT = "urgent"


def _distinct(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(tags))


Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), PRINTABLE, ONE_LINE]
Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=50), PRINTABLE, ONE_LINE]
Tags = Annotated[list[Tag], Field(max_length=20), AfterValidator(_distinct)]
Position = Annotated[
    WholeNumber | None,
    Field(
        ge=0,
        le=HIGHEST_POSITION,
        description="Place within the column, ascending; that of another task means: before that one. Default: last",
    ),
]
RecordId = Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, max_length=200), PRINTABLE]
Assignee = Annotated[RecordId | None, Field(description="User id of a member of the team; null: nobody")]


class TaskFields(Wire, row=TaskRow):
    description: LongText | None = None
    status: TaskStatus = TaskStatus.BACKLOG
    priority: TaskPriority = TaskPriority.MEDIUM
    due_date: Day | None = None
    assigned_to: Assignee = None
    tags: Tags = Field(default_factory=list)
    position: Position = None
    client_id: RecordId | None = None
    invoice_id: RecordId | None = None


class TaskInput(TaskFields):
    title: Title


class TaskChange(TaskFields):
    """Fields that are absent keep their value."""

    title: Title = ""


class StatusChange(Wire, row=TaskRow):
    status: TaskStatus
    position: Position = None


class Assignment(Wire):
    assigned_to: Assignee


class Task(Wire, row=TaskRow):
    id: str
    title: str
    description: str | None
    status: TaskStatus
    priority: TaskPriority
    due_date: date | None
    assigned_to: str | None
    """User id of the member to whom it is assigned; null for nobody."""
    tags: list[str]
    position: int
    client_id: str | None
    invoice_id: str | None
    created_by: str | None
    channel: str
    completed_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]


class AssigneeCount(Wire):
    """Number of tasks of a member; the entry without id counts those assigned to nobody."""

    id: Annotated[str | None, Field(alias="_id")]  # the interface's own name, here and nowhere else
    """User id of the member; null for the tasks of nobody."""
    name: str | None
    """Name of the member; null for the tasks of nobody."""
    email: str | None
    """E-mail address of the member; null for the tasks of nobody."""
    count: int
    """Number of tasks."""


class TaskOverview(Wire):
    """`byStatus` has each of the five statuses; both parts count the same tasks."""

    by_status: dict[TaskStatus, int]
    """Number of tasks in each column."""
    by_assignee: list[AssigneeCount]
    """Number of tasks of each member, the most first, and of nobody."""
