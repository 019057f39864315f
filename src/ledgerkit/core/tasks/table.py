"""Tables of tasks."""

from collections.abc import Sequence
from datetime import date, datetime
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    PrimaryKeyConstraint,
    text,
)

from ledgerkit.core.platform.database.row_types import AccountRow, AuthoredRow, VersionedRow, column
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table

_KEPT = text("deleted_at is null")


class TaskRow(AccountRow, AuthoredRow):
    """One task on the team's board."""

    title: str = column("What is to be done, up to 200 characters.")
    description: str | None = column("Details, up to 5000 characters; null for none.")
    status: str = column("Column of the board: backlog, todo, in_progress, review or done.")
    priority: str = column("Urgency: low, medium, high or urgent.")
    due_date: date | None = column("Day by which it should be done; null for none.")
    member_id: UUID | None = column(
        "Id of the membership of the assigned member; null for nobody, as when the member leaves the team.",
    )
    tags: Sequence[str] = column("List of tags, at most 20 of up to 50 characters.", JSON)
    position: int = column("Place within the column, ascending; where two are equal, the ids decide.", BigInteger)
    client_id: UUID | None = column("Id of the client that it is about; null for none.")
    invoice_id: UUID | None = column("Id of the invoice that it is about; null for none.")
    completed_at: datetime | None = column("Moment in UTC at which it came to done; null in any other column.")
    deleted_at: datetime | None = column(
        "Moment in UTC at which it was deleted; null for a listed one; it stays stored.",
    )


task = account_table(
    "task",
    TaskRow,
    # A task is assigned to a membership, not to a user: whoever leaves the team leaves their tasks to nobody.
    ForeignKeyConstraint(
        ["account_id", "member_id"], ["membership.account_id", "membership.id"], ondelete="SET NULL (member_id)"
    ),
    account_key("client_id", "client"),
    account_key("invoice_id", "invoice"),
    CheckConstraint("status in ('backlog', 'todo', 'in_progress', 'review', 'done')", name="status"),
    CheckConstraint("priority in ('low', 'medium', 'high', 'urgent')", name="priority"),
    CheckConstraint("(completed_at is not null) = (status = 'done')", name="completed_when_done"),
    Index("ix_task_listed", "account_id", "position", "id", postgresql_where=_KEPT),
    Index("ix_task_status", "account_id", "status", "position", "id", postgresql_where=_KEPT),
    Index("ix_task_priority", "account_id", "priority", "position", "id", postgresql_where=_KEPT),
    Index("ix_task_due", "account_id", "due_date", postgresql_where=_KEPT),
    Index("ix_task_member", "account_id", "member_id", "position", "id"),
)


class TaskBoardRow(VersionedRow):
    """Row that serialises the moves on an account's board."""


task_board = account_table("task_board", TaskBoardRow, PrimaryKeyConstraint("account_id"))
