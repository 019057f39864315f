"""Tables of the outbox: when each chain sends its next message, and the incidents that delay it."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, PrimaryKeyConstraint, text

from ledgerkit.core.einvoice.table import FiscalRecordRow
from ledgerkit.core.platform.database.row_types import AccountRow, Row, column
from ledgerkit.core.platform.database.tables import account_key, account_table, reference_table


class IncidentRow(AccountRow):
    """A trouble of a chain of fiscal records, told to the owner and the admins; one of each kind may be open."""

    installation_id: UUID = column("Id of the chain, a row of fiscal_installation.")
    kind: str = column(
        "Kind: delayed, refused or stopped (sending), clock, chain (a flaw), renewed (new chain), lost_numbers or "
        "series_renamed.",
    )
    detail: str = column("What is known of it, at most 500 characters; may be empty.")
    ended_at: datetime | None = column("Time (UTC) at which it ended; null while it lasts.")
    mailed_at: datetime | None = column(
        "Time (UTC) of the last mail about it, a day apart at least; null before the first.",
    )


fiscal_incident = account_table(
    "fiscal_incident",
    IncidentRow,
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
    """The schedule of a chain's messages: ids, times and counts only, so that one query sees those of all accounts.

    `position` and `database_identity` are compared at start (chain/restore_detection.py).
    """

    account_id: UUID = column("Id of the account.", ForeignKey("account.id"))
    installation_id: UUID = column("Id of the chain, a row of fiscal_installation.")
    due_at: datetime | None = column(
        "Time (UTC) from which the next message is sent; null where nothing waits or the chain is stopped.",
    )
    allowed_at: datetime | None = column(
        "Time (UTC) until which the pause after the last message lasts, unless a whole message waits; null before any.",
    )
    wait_seconds: int = column(
        "Pause in seconds between messages as the authority last asked for it; 60 until then (Orden HAC/1177/2024, "
        "art. 16.2).",
        server_default=text("60"),
    )
    failures: int = column(
        "Consecutive failures to get a final answer; each doubles the pause, from two seconds to an hour.",
        server_default=text("0"),
    )
    lease_until: datetime | None = column(
        "Time (UTC) until which one process alone may send, renewed while it does; null where none sends.",
    )
    lease_holder: UUID | None = column("Id of the attempt that is sending; null where none is.")
    position: int = column(
        "Position of the chain's last record, compared at start to detect a restored database.",
        server_default=text("0"),
    )
    database_identity: str | None = column(
        "Identity of the database in which the last record was made (fiscal_database); null where it is not known.",
    )
    waiting: int = column(
        "Number of records without a final answer; after an answer counted up to one whole message only.",
        server_default=text("0"),
    )
    waiting_since: datetime | None = column("Time (UTC) at which the oldest of them was made; null where none waits.")
    watch_at: datetime | None = column(
        "Time (UTC) at which the chain's troubles are next reviewed and mailed; null where there is nothing to review.",
    )
    batch_limit: int | None = column(
        "Most records in a message up to suspect_until, after a larger one failed; null for the channel's own limit.",
    )
    suspect_until: int | None = column("Position up to which batch_limit holds; null without one.")
    proven: bool = column(
        "True where the authority has answered a message since the last record was rejected or deferred here.",
        server_default=text("false"),
    )
    stopped_at: datetime | None = column(
        "Time (UTC) at which the authority barred further messages, until somebody resumes the chain; null otherwise.",
    )


fiscal_sender = reference_table(
    "fiscal_sender",
    SenderRow,
    PrimaryKeyConstraint("account_id", "installation_id"),
    Index("ix_fiscal_sender_due", "due_at", postgresql_where=text("due_at is not null")),
    Index("ix_fiscal_sender_watch", "watch_at", postgresql_where=text("watch_at is not null")),
)
