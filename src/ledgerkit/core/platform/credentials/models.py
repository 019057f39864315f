"""Links that were mailed to people: reference rows, looked up before anybody is logged in."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Column, DateTime, ForeignKey, Index, Text, Uuid, func

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.tables import reference_table


class MailedLinkRow(Row):
    id: UUID
    user_id: UUID
    purpose: str
    token_hash: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None


mailed_link = reference_table(
    "mailed_link",
    MailedLinkRow,
    Column("id", Uuid, primary_key=True),
    Column("user_id", Uuid, ForeignKey("app_user.id", ondelete="CASCADE"), nullable=False),
    Column("purpose", Text, nullable=False),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Column("used_at", DateTime(timezone=True)),
    Index("ix_mailed_link_user", "user_id", "purpose", "created_at"),
)
"""`purpose`: verification or reset; `used_at`: moment when it was used, or voided by the use of another one.

The token itself is in the mail only.
"""
