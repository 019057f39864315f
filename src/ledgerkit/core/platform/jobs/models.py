"""Tables of jobs and schedules: not tables of an account, since a worker looks for jobs of all accounts."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from sqlalchemy import Column, DateTime, Index, Integer, Text, Uuid, func, text

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.tables import JSONB, reference_table


class JobRow(Row):
    id: UUID
    name: str
    payload: Mapping[str, str | int | bool | None]
    dedupe_key: str | None
    order_key: str | None
    attempts: int
    due_at: datetime
    worker: UUID | None
    error: str | None
    failed_at: datetime | None
    created_at: datetime


job = reference_table(
    "job",
    JobRow,
    Column("id", Uuid, primary_key=True),
    Column("name", Text, nullable=False),
    Column("payload", JSONB, nullable=False),
    Column("dedupe_key", Text),
    Column("order_key", Text),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("due_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("worker", Uuid),
    Column("error", Text),
    Column("failed_at", DateTime(timezone=True)),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Index("ix_job_due_at", "due_at", postgresql_where=text("failed_at is null")),
    Index(
        "uq_job_waiting",
        "name",
        "dedupe_key",
        unique=True,
        postgresql_where=text("worker is null and failed_at is null"),
    ),
    Index("uq_job_seat", "order_key", unique=True, postgresql_where=text("worker is not null")),
    Index("ix_job_order_key", "order_key", "id", postgresql_where=text("failed_at is null")),
)
"""Jobs that are not done. A job may be taken from `due_at` on: for a running one, that is the end of its lease."""


class JobScheduleRow(Row):
    name: str
    expression: str
    next_at: datetime


job_schedule = reference_table(
    "job_schedule",
    JobScheduleRow,
    Column("name", Text, primary_key=True),
    Column("expression", Text, nullable=False),
    Column("next_at", DateTime(timezone=True), nullable=False),
)
"""Time at which each recurring job is put into the queue next."""
