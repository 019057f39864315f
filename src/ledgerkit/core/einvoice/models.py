"""Fiscal records, their chains, and everything ever said to and by an authority."""

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)

from ledgerkit.core.db import JSONB, account_key, account_table, reference_table

fiscal_installation = account_table(
    "fiscal_installation",
    Column("channel", Text, nullable=False),
    Column("environment", Text, nullable=False),
    Column("issuer_tax_id", Text, nullable=False),
    Column("position", Integer, nullable=False, server_default=text("0")),
    Column("last_record_id", Uuid),
    Column("last_number", Text),
    Column("last_issue_date", Date),
    Column("last_fingerprint", Text),
    Column("last_generated_at", DateTime(timezone=True)),
    Column("last_digest", LargeBinary),
    Column("origin_number", Text),
    Column("origin_issue_date", Date),
    Column("origin_fingerprint", Text),
    Column("origin_generated_at", DateTime(timezone=True)),
    Column("database_identity", Text),
    Column("closed_at", DateTime(timezone=True)),
    Column("closed_reason", Text),
    Column("alarm_at", DateTime(timezone=True)),
    Column("alarm_position", Integer),
    Column("alarm_code", Text),
    Column("alarm_message", Text),
    Column("last_check", JSONB),
    Index(
        "uq_fiscal_installation_open",
        "account_id",
        "channel",
        "environment",
        "issuer_tax_id",
        unique=True,
        postgresql_where=text("closed_at is null"),
    ),
)
"""One chain: its row is the chain's head, locked while a record is added. Its id is the installation number.

A closed one gets no more records, and its number never comes again. `origin_*` is the last record of other software
that the chain goes on from; `database_identity` where its head was when it began.
"""

fiscal_record = account_table(
    "fiscal_record",
    Column("installation_id", Uuid, nullable=False),
    Column("position", Integer, nullable=False),
    Column("previous_id", Uuid),
    Column("kind", Text, nullable=False),
    Column("invoice_id", Uuid, nullable=False),
    Column("country", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("channel_version", Text, nullable=False),
    Column("environment", Text, nullable=False),
    Column("fiscal_id", Text, nullable=False),
    Column("issuer_tax_id", Text, nullable=False),
    Column("number", Text, nullable=False),
    Column("issue_date", Date, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("qr_url", Text),
    Column("generated_at", DateTime(timezone=True), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    account_key("installation_id", "fiscal_installation"),
    account_key("previous_id", "fiscal_record"),
    account_key("invoice_id", "invoice"),
    UniqueConstraint("account_id", "installation_id", "position"),
    UniqueConstraint("account_id", "installation_id", "previous_id"),
    Index("ix_fiscal_record_invoice", "account_id", "invoice_id", "id"),
    append_only=True,
)

fiscal_status = account_table(
    "fiscal_status",
    Column("record_id", Uuid, nullable=False),
    Column("installation_id", Uuid, nullable=False),
    Column("position", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("code", Text),
    Column("message", Text),
    Column("reference", Text),
    Column("submitted_at", DateTime(timezone=True)),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    PrimaryKeyConstraint("account_id", "record_id"),
    account_key("record_id", "fiscal_record"),
    Index(
        "ix_fiscal_status_open",
        "account_id",
        "installation_id",
        "position",
        postgresql_where=text("state in ('pending', 'unknown')"),
    ),
    keyed=False,
)
"""Where a record stands; the record itself never changes."""

fiscal_submission = account_table(
    "fiscal_submission",
    Column("installation_id", Uuid, nullable=False),
    Column("first_position", Integer, nullable=False),
    Column("last_position", Integer, nullable=False),
    Column("late", Boolean, nullable=False),
    Column("request", LargeBinary, nullable=False),
    account_key("installation_id", "fiscal_installation"),
    Index("ix_fiscal_submission_positions", "account_id", "installation_id", "first_position"),
    append_only=True,
)
"""A message, stored before it is sent."""

fiscal_answer = account_table(
    "fiscal_answer",
    Column("submission_id", Uuid, nullable=False),
    Column("http_status", Integer),
    Column("body", LargeBinary, nullable=False),
    Column("error", Text),
    Column("fault", Text),
    Column("reference", Text),
    account_key("submission_id", "fiscal_submission"),
    append_only=True,
)
"""What came back, raw; the authority's receipt (`reference`) can never be fetched again."""

fiscal_outcome = account_table(
    "fiscal_outcome",
    Column("record_id", Uuid, nullable=False),
    Column("submission_id", Uuid, nullable=False),
    Column("state", Text, nullable=False),
    Column("code", Text),
    Column("message", Text),
    account_key("record_id", "fiscal_record"),
    account_key("submission_id", "fiscal_submission"),
    Index("ix_fiscal_outcome_record", "account_id", "record_id", "id"),
    append_only=True,
)

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
    PrimaryKeyConstraint("account_id", "installation_id"),
    Index("ix_fiscal_sender_due", "due_at", postgresql_where=text("due_at is not null")),
)
"""When each chain's next message is due, and who is sending it: ids and times only, so that one sweep sees all.

`position` is that of the chain's last record, and `database_identity` where it was sealed, for the look at start.
"""
