"""The append-only log of what was done, by whom, through which channel."""

from sqlalchemy import Column, Index, Text, Uuid, text

from ledgerkit.core.database.tables import JSONB, account_table

activity = account_table(
    "activity",
    Column("user_id", Uuid),
    Column("user_name", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("entity_type", Text, nullable=False),
    Column("entity_id", Uuid, nullable=False),
    Column("entity_label", Text),
    Column("changes", JSONB, nullable=False, server_default=text("'{}'")),
    Column("channel", Text, nullable=False),
    Column("key_prefix", Text),
    Column("source_message_id", Text),
    Index("ix_activity_entity", "account_id", "entity_type", "entity_id", "id"),
    append_only=True,
    erasable=True,
)
