"""The chain of an issuer: its head, its records and how they stand. Every folder of einvoice reads these tables."""

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    DateTime,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)

from ledgerkit.core.database.tables import JSON, JSONB, account_key, account_table, reference_table

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
    Column("mode", Text, nullable=False, server_default=text("'reporting'")),
    Column("mode_since", DateTime(timezone=True)),
    Column("reporting_until", Date),
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
that the chain goes on from; `database_identity` where its head was when it began. `mode` since `mode_since`:
`reporting` or `keeping`; the day after `reporting_until` it is `keeping`, whatever it says.
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
    Column("issuer_name", Text, nullable=False),
    Column("operated_on", Date, nullable=False),
    Column("corrects_id", Uuid),
    Column("reason", Text),
    Column("told", Text),
    Column("flags", JSON),
    account_key("installation_id", "fiscal_installation"),
    account_key("previous_id", "fiscal_record"),
    account_key("corrects_id", "fiscal_record"),
    account_key("invoice_id", "invoice"),
    UniqueConstraint("account_id", "installation_id", "position"),
    UniqueConstraint("account_id", "installation_id", "previous_id"),
    Index("ix_fiscal_record_invoice", "account_id", "invoice_id", "id"),
    Index("ix_fiscal_record_fiscal_id", "account_id", "fiscal_id", "id"),
    append_only=True,
)
"""`corrects_id`: the record before it of the same invoice. `reason`: why it was annulled, for the house only. `told`: a
digest of the document that it tells of, to know whether there is anything new to tell. `flags`: what it says of the
records before it, in the country's words.
"""

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
    Column("submission_id", Uuid),
    Column("in_doubt", Boolean, nullable=False, server_default=text("false")),
    Column("doubts", Integer, nullable=False, server_default=text("0")),
    Column("aside_until", DateTime(timezone=True)),
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
"""Where a record stands; the record itself never changes.

`submission_id`: the latest message it was in. `in_doubt`: the authority may hold it, an answer to it was lost.
`doubts`: how often a message with it alone was refused or not answered. `aside_until`: until then the others go first.
"""

fiscal_declaration = reference_table(
    "fiscal_declaration",
    Column("channel", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("content", JSON, nullable=False),
    Column("rendered_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    PrimaryKeyConstraint("channel", "version", "digest"),
    append_only=True,
)
"""What was ever declared of this software, by its version: kept for good."""
