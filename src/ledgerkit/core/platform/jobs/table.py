"""Tables of jobs and schedules: not tables of an account, since a worker looks for jobs of all accounts."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, func, text

from ledgerkit.core.platform.database.row_types import Row, column
from ledgerkit.core.platform.database.tables import JSONB, reference_table


class JobRow(Row):
    """A job in the queue that is not done: it waits, runs, or was given up; a finished one is deleted."""

    id: UUID = column("Id of the job; jobs of one order_key run in the order of their ids.", primary_key=True)
    name: str = column("Name of the handler that does the job.")
    payload: Mapping[str, str | int | bool | None] = column(
        "Parameters of the handler as a JSON object, such as accountId; empty for recurring jobs.",
        JSONB,
    )
    dedupe_key: str | None = column(
        "While a job of this name and key waits, no second one is queued; schedule for recurring jobs, null for no "
        "such limit.",
    )
    order_key: str | None = column(
        "Jobs of one key run one at a time, in the order they were queued; null for jobs that run at any time.",
    )
    attempts: int = column(
        "Number of attempts begun, the running one too; a job is given up after the twelfth. 0 again when it asks to "
        "run later.",
        server_default=text("0"),
    )
    due_at: datetime = column(
        "Time (UTC) from which the job may be taken; for a running one the end of its lease, when another worker may "
        "take it.",
        server_default=func.now(),
    )
    worker: UUID | None = column("Id of the worker that runs the job; null while it waits and once it was given up.")
    error: str | None = column("Error of the last failed attempt, at most 2,000 characters; null where none failed.")
    failed_at: datetime | None = column("Time (UTC) at which the job was given up; null while it is not.")
    created_at: datetime = column("Time (UTC) at which the job was queued.", server_default=func.now())


job = reference_table(
    "job",
    JobRow,
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


class JobScheduleRow(Row):
    """When each recurring job is put into the queue next."""

    name: str = column("Name of the recurring job.", primary_key=True)
    expression: str = column("Times of the job as the five fields of crontab, in UTC.")
    next_at: datetime = column("Time (UTC) at which the job is queued next.")


job_schedule = reference_table("job_schedule", JobScheduleRow)
