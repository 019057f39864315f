"""The append-only log of mails: what was tried, and what the mail server said to it."""

from sqlalchemy import Column, Index, Text, Uuid

from ledgerkit.core.database.tables import account_table

mail_log = account_table(
    "mail_log",
    Column("kind", Text, nullable=False),
    Column("entity_type", Text, nullable=False),
    Column("entity_id", Uuid, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("message_id", Text),
    Column("transport", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("reply", Text, nullable=False),
    Column("user_id", Uuid),
    Index("ix_mail_log_entity", "account_id", "entity_type", "entity_id", "id"),
    append_only=True,
    erasable=True,
)
"""`reply`: the server's words, the file's path, or the error. `message_id`: null for a mail that could not be made."""
