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

fiscal_submission = account_table(
    "fiscal_submission",
    Column("installation_id", Uuid, nullable=False),
    Column("first_position", Integer, nullable=False),
    Column("last_position", Integer, nullable=False),
    Column("late", Boolean, nullable=False),
    Column("request", LargeBinary, nullable=False),
    Column("runs", JSON, nullable=False),
    Column("repeats_id", Uuid),
    account_key("installation_id", "fiscal_installation"),
    Index("ix_fiscal_submission_positions", "account_id", "installation_id", "first_position"),
    append_only=True,
)
"""A message, stored before it is sent.

`runs`: first and last position of each stretch of the chain that is in it. `repeats_id`: the message whose very bytes
it sends again, because the answer was lost.
"""

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
    Column("submission_id", Uuid),
    Column("query_id", Uuid),
    Column("state", Text, nullable=False),
    Column("code", Text),
    Column("message", Text),
    account_key("record_id", "fiscal_record"),
    account_key("submission_id", "fiscal_submission"),
    account_key("query_id", "fiscal_query"),
    Index("ix_fiscal_outcome_record", "account_id", "record_id", "id"),
    append_only=True,
)

fiscal_query = account_table(
    "fiscal_query",
    Column("installation_id", Uuid, nullable=False),
    Column("submission_id", Uuid),
    Column("year", Integer, nullable=False),
    Column("month", Integer, nullable=False),
    Column("number", Text),
    Column("request", LargeBinary, nullable=False),
    account_key("installation_id", "fiscal_installation"),
    account_key("submission_id", "fiscal_submission"),
    Index("ix_fiscal_query_submission", "account_id", "submission_id"),
    append_only=True,
)
"""A question to the authority, stored before it is sent; `submission_id`: the message whose answer was lost."""

fiscal_query_answer = account_table(
    "fiscal_query_answer",
    Column("query_id", Uuid, nullable=False),
    Column("http_status", Integer),
    Column("body", LargeBinary, nullable=False),
    Column("failure", Text),
    account_key("query_id", "fiscal_query"),
    append_only=True,
)
"""What came back, raw; `failure`: why it is no answer."""

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

fiscal_event_log = account_table(
    "fiscal_event_log",
    Column("installation_id", Uuid, nullable=False),
    Column("position", Integer, nullable=False, server_default=text("0")),
    Column("last_event_id", Uuid),
    Column("last_code", Text),
    Column("last_fingerprint", Text),
    Column("last_generated_at", DateTime(timezone=True)),
    Column("summed_events", Integer, nullable=False, server_default=text("0")),
    Column("summed_records", Integer, nullable=False, server_default=text("0")),
    PrimaryKeyConstraint("account_id", "installation_id"),
    account_key("installation_id", "fiscal_installation"),
    keyed=False,
)
"""The head of an installation's chain of events, locked while one is added, after the chain's own head.

`summed_*` are the last positions that a summary has counted.
"""

fiscal_event = account_table(
    "fiscal_event",
    Column("installation_id", Uuid, nullable=False),
    Column("position", Integer, nullable=False),
    Column("previous_id", Uuid),
    Column("kind", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("generated_at", DateTime(timezone=True), nullable=False),
    account_key("installation_id", "fiscal_installation"),
    account_key("previous_id", "fiscal_event"),
    UniqueConstraint("account_id", "installation_id", "position"),
    UniqueConstraint("account_id", "installation_id", "previous_id"),
    append_only=True,
)
"""What happened to a system that keeps records, signed as it was logged."""

fiscal_keeper = reference_table(
    "fiscal_keeper",
    Column("account_id", Uuid, ForeignKey("account.id"), nullable=False),
    Column("installation_id", Uuid, nullable=False),
    Column("summed_at", DateTime(timezone=True), nullable=False),
    PrimaryKeyConstraint("account_id", "installation_id"),
    Index("ix_fiscal_keeper_summed", "summed_at"),
)
"""Which chains are kept now, and when each was summed up last: ids and times only, so that one sweep sees all."""

fiscal_demand = account_table(
    "fiscal_demand",
    Column("channel", Text, nullable=False),
    Column("environment", Text, nullable=False),
    Column("issuer_tax_id", Text, nullable=False),
    Column("reference", Text, nullable=False),
    Column("since", Date, nullable=False),
    Column("until", Date, nullable=False),
    UniqueConstraint("account_id", "environment", "issuer_tax_id", "reference"),
    append_only=True,
)
"""A demand of the authority to see what was kept between two days, by its own reference."""

fiscal_demand_message = account_table(
    "fiscal_demand_message",
    Column("demand_id", Uuid, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("records", JSON, nullable=False),
    Column("request", LargeBinary, nullable=False),
    account_key("demand_id", "fiscal_demand"),
    UniqueConstraint("account_id", "demand_id", "ordinal"),
    append_only=True,
)
"""A message that answers it, stored before anything is sent; `records` are number and issue date of each, in order."""

fiscal_demand_answer = account_table(
    "fiscal_demand_answer",
    Column("message_id", Uuid, nullable=False),
    Column("http_status", Integer),
    Column("body", LargeBinary, nullable=False),
    Column("error", Text),
    Column("fault", Text),
    Column("reference", Text),
    Column("delivered", Boolean, nullable=False),
    account_key("message_id", "fiscal_demand_message"),
    Index("ix_fiscal_demand_answer_message", "account_id", "message_id", "id"),
    append_only=True,
)
"""What came back, raw. `delivered`: the authority has said something of every record."""

fiscal_certificate = account_table(
    "fiscal_certificate",
    Column("content", LargeBinary, nullable=False),
    Column("holder", Text, nullable=False),
    Column("country", Text, nullable=False),
    Column("tax_id", Text, nullable=False),
    Column("issuer", Text, nullable=False),
    Column("serial", Text, nullable=False),
    Column("valid_from", DateTime(timezone=True), nullable=False),
    Column("valid_to", DateTime(timezone=True), nullable=False),
    Column("seal", Boolean, nullable=False),
    Column("signs", Boolean, nullable=False),
    Column("represents", Boolean, nullable=False),
    Column("warned_days", Integer),
    Column("user_id", Uuid),
    Column("user_name", Text, nullable=False),
    UniqueConstraint("account_id"),
)
"""The account's own certificate, one at most; its id is another one after each upload.

`content` is cipher (core/database/ciphers.py): certificate, chain and key. `represents`: its holder was not the issuer,
and was said to act for it. `warned_days`: the last step at which people were told that it runs out.
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
