"""Tables of the outbox: when each chain sends its next message, and what keeps it from doing so."""

from sqlalchemy import Boolean, Column, DateTime, ForeignKey, Index, Integer, PrimaryKeyConstraint, Text, Uuid, text

from ledgerkit.core.database.tables import account_key, account_table, reference_table

fiscal_incident = account_table(
    "fiscal_incident",
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
"""What keeps a chain from being sent, from when to when; one of a kind is open at a time."""

fiscal_sender = reference_table(
    "fiscal_sender",
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
"""When each chain's next message is due, and who is sending it: ids, times and counts only, so that one sweep sees all.

`waiting`: records without a final answer, the oldest made at `waiting_since`. `watch_at`: when somebody should look
whether people are to be told. `batch_limit`: records in a message at most, up to position `suspect_until`, because a
larger one was refused for one of them. `proven`: a message was answered since the last record was given up.
`stopped_at`: nothing more is sent until somebody says so.

`position` is that of the chain's last record, and `database_identity` where it was sealed, for the look at start.
"""
