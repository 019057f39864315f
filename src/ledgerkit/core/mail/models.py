"""Table of the append-only log of mails: each attempt and the mail server's reply."""

from uuid import UUID

from sqlalchemy import Column, Index, Text, Uuid

from ledgerkit.core.database.row_types import AppendOnlyRow
from ledgerkit.core.database.tables import account_table


class MailLogRow(AppendOnlyRow):
    kind: str
    entity_type: str
    entity_id: UUID
    recipient: str
    subject: str
    message_id: str | None
    transport: str
    outcome: str
    reply: str
    user_id: UUID | None


mail_log = account_table(
    "mail_log",
    MailLogRow,
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
"""`reply`: the server's words, the file's path, or the error. `message_id`: null for a mail that was never composed."""
