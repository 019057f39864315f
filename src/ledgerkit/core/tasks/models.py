"""Tables of tasks."""

from collections.abc import Sequence
from datetime import date, datetime
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    ForeignKeyConstraint,
    Index,
    PrimaryKeyConstraint,
    Text,
    Uuid,
    text,
)

from ledgerkit.core.platform.database.row_types import AccountRow, VersionedRow
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table

_KEPT = text("deleted_at is null")


class TaskRow(AccountRow):
    title: str
    description: str | None
    status: str
    priority: str
    due_date: date | None
    member_id: UUID | None
    tags: Sequence[str]
    position: int
    client_id: UUID | None
    invoice_id: UUID | None
    created_by: UUID | None
    channel: str
    completed_at: datetime | None
    deleted_at: datetime | None


task = account_table(
    "task",
    TaskRow,
    Column("title", Text, nullable=False),
    Column("description", Text),
    Column("status", Text, nullable=False),
    Column("priority", Text, nullable=False),
    Column("due_date", Date),
    Column("member_id", Uuid),
    Column("tags", JSON, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("client_id", Uuid),
    Column("invoice_id", Uuid),
    Column("created_by", Uuid),
    Column("channel", Text, nullable=False),
    Column("completed_at", DateTime(timezone=True)),
    Column("deleted_at", DateTime(timezone=True)),
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


task_board = account_table("task_board", TaskBoardRow, PrimaryKeyConstraint("account_id"), keyed=False)
"""Locks of the boards, one row for each account: a move to a given position waits until another one has ended."""
