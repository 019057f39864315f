"""Tables of mails: the append-only log of attempts with the server's replies, and the count of the day's mails."""

from datetime import date
from uuid import UUID

from sqlalchemy import Column, Date, Index, Integer, Text, UniqueConstraint, Uuid

from ledgerkit.core.platform.database.row_types import AccountRow, AppendOnlyRow
from ledgerkit.core.platform.database.tables import account_table


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


class MailCountRow(AccountRow):
    day: date
    mails: int


mail_count = account_table(
    "mail_count",
    MailCountRow,
    Column("day", Date, nullable=False),
    Column("mails", Integer, nullable=False),
    UniqueConstraint("account_id"),
)
"""One row of each account: how many invoices it has mailed on `day`, the last day on which it mailed any."""
