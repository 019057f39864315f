"""Tables of the outbox: when each chain sends its next message, and what keeps it from doing so."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Boolean, Column, DateTime, ForeignKey, Index, Integer, PrimaryKeyConstraint, Text, Uuid, text

from ledgerkit.core.einvoice.models import FiscalRecordRow
from ledgerkit.core.platform.database.row_types import AccountRow, Row
from ledgerkit.core.platform.database.tables import account_key, account_table, reference_table


class IncidentRow(AccountRow):
    installation_id: UUID
    kind: str
    detail: str
    ended_at: datetime | None
    mailed_at: datetime | None


fiscal_incident = account_table(
    "fiscal_incident",
    IncidentRow,
    Column("installation_id", Uuid, nullable=False),
    Column("kind", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("ended_at", DateTime(timezone=True)),
    Column("mailed_at", DateTime(timezone=True)),
    account_key("installation_id", "fiscal_installation"),
    Index(
        "uq_fiscal_incident_open",
        "account_id",
        "installation_id",
        "kind",
        unique=True,
        postgresql_where=text("ended_at is null"),
    ),
    Index("ix_fiscal_incident_kind", "account_id", "installation_id", "kind", "id"),
)
"""An incident that keeps a chain from being sent, from `created_at` to `ended_at`; one of each kind may be open."""


class OpenRecordRow(FiscalRecordRow):
    """Row of a record without a final answer, with the part of its status that sending it needs.

    `code` is NUMBER_TAKEN while the authority, which says that it holds a document under the number, has not been asked
    whose that is.
    """

    code: str | None
    message: str | None
    in_doubt: bool
    submission_id: UUID | None
    doubts: int
    refusals: int
    aside_until: datetime | None


class SenderRow(Row):
    account_id: UUID
    installation_id: UUID
    due_at: datetime | None
    allowed_at: datetime | None
    wait_seconds: int
    failures: int
    lease_until: datetime | None
    lease_holder: UUID | None
    position: int
    database_identity: str | None
    waiting: int
    waiting_since: datetime | None
    watch_at: datetime | None
    batch_limit: int | None
    suspect_until: int | None
    proven: bool
    stopped_at: datetime | None


fiscal_sender = reference_table(
    "fiscal_sender",
    SenderRow,
    Column("account_id", Uuid, ForeignKey("account.id"), nullable=False),
    Column("installation_id", Uuid, nullable=False),
    Column("due_at", DateTime(timezone=True)),
    Column("allowed_at", DateTime(timezone=True)),
    Column("wait_seconds", Integer, nullable=False, server_default=text("60")),
    Column("failures", Integer, nullable=False, server_default=text("0")),
    Column("lease_until", DateTime(timezone=True)),
    Column("lease_holder", Uuid),
    Column("position", Integer, nullable=False, server_default=text("0")),
    Column("database_identity", Text),
    Column("waiting", Integer, nullable=False, server_default=text("0")),
    Column("waiting_since", DateTime(timezone=True)),
    Column("watch_at", DateTime(timezone=True)),
    Column("batch_limit", Integer),
    Column("suspect_until", Integer),
    Column("proven", Boolean, nullable=False, server_default=text("false")),
    Column("stopped_at", DateTime(timezone=True)),
    PrimaryKeyConstraint("account_id", "installation_id"),
    Index("ix_fiscal_sender_due", "due_at", postgresql_where=text("due_at is not null")),
    Index("ix_fiscal_sender_watch", "watch_at", postgresql_where=text("watch_at is not null")),
)
"""Schedule of each chain: when its next message is due, and which process sends it.

It holds ids, times and counts only, so that one query sees the chains of all accounts. `waiting`: number of records
without a final answer, the oldest made at `waiting_since`. `watch_at`: when the chain's incidents are reviewed.
`batch_limit`: most records in a message up to position `suspect_until`, because a larger message was refused for one of
them. `proven`: a message was answered since the last record was rejected here. `stopped_at`: nothing more is sent until
somebody resumes it.

`position` is that of the chain's last record, and `database_identity` identifies the database in which it was made.
Both are compared at start (chain/restore_detection.py).
"""
