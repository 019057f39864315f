"""Tables of business context."""

from uuid import UUID

from sqlalchemy import Column, Integer, PrimaryKeyConstraint, Text, UniqueConstraint, Uuid, text

from ledgerkit.core.platform.database.row_types import AccountRow, VersionedRow
from ledgerkit.core.platform.database.tables import account_table


class BusinessContextRow(VersionedRow):
    summary: str


business_context = account_table(
    "business_context",
    BusinessContextRow,
    Column("summary", Text, nullable=False, server_default=text("''")),
    PrimaryKeyConstraint("account_id"),
    keyed=False,
)
"""One row for each account with a context: every write locks it, and its version is that of the whole context."""


class ContextEntryRow(AccountRow):
    key: str
    title: str | None
    content: str
    category: str | None
    order: int
    updated_by: UUID | None


context_entry = account_table(
    "context_entry",
    ContextEntryRow,
    Column("key", Text, nullable=False),
    Column("title", Text),
    Column("content", Text, nullable=False),
    Column("category", Text),
    Column("order", Integer, nullable=False),
    Column("updated_by", Uuid),
    UniqueConstraint("account_id", "key"),
)
