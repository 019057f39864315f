"""Tables of business context."""

from sqlalchemy import Column, Integer, PrimaryKeyConstraint, Text, UniqueConstraint, Uuid, text

from ledgerkit.core.database.tables import account_table

business_context = account_table(
    "business_context",
    Column("summary", Text, nullable=False, server_default=text("''")),
    PrimaryKeyConstraint("account_id"),
    keyed=False,
)
"""One row for each account that has written anything: locked by every write, its version is the whole context's."""

context_entry = account_table(
    "context_entry",
    Column("key", Text, nullable=False),
    Column("title", Text),
    Column("content", Text, nullable=False),
    Column("category", Text),
    Column("order", Integer, nullable=False),
    Column("updated_by", Uuid),
    UniqueConstraint("account_id", "key"),
)
