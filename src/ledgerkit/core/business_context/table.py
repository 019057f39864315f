"""Tables of business context."""

from uuid import UUID

from sqlalchemy import PrimaryKeyConstraint, UniqueConstraint, text

from ledgerkit.core.platform.database.row_types import AccountRow, VersionedRow, column
from ledgerkit.core.platform.database.tables import account_table


class BusinessContextRow(VersionedRow):
    """Head of the notes that an account keeps about its business for assistants; every write locks it."""

    summary: str = column(
        "Summary of the business for assistants, up to 5000 characters; empty for none.",
        server_default=text("''"),
    )


business_context = account_table(
    "business_context",
    BusinessContextRow,
    PrimaryKeyConstraint("account_id"),
)


class ContextEntryRow(AccountRow):
    """One note about the business for assistants, found by its key; an account has at most 200."""

    key: str = column(
        "Name of the entry, unique in the account: up to 64 small letters, digits, underscores, dots and hyphens.",
    )
    title: str | None = column("Heading of the entry, up to 200 characters; null for its key.")
    content: str = column("Text of the entry, 1 to 20,000 characters.")
    category: str | None = column(
        "Category under which entries are listed together, up to 100 characters; null for none.",
    )
    order: int = column("Place within the category, ascending, 0 to 1,000,000; 0 by default.")
    updated_by: UUID | None = column("Id of the user who last saved it; null where a team's API key did.")


context_entry = account_table(
    "context_entry",
    ContextEntryRow,
    UniqueConstraint("account_id", "key"),
)
