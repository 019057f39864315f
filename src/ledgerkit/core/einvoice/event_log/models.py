"""Tables of the signed mode: its event log, the chains in it, and the authority's requests for their records."""

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

from ledgerkit.core.database.tables import JSON, account_key, account_table, reference_table

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
