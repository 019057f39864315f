"""AI actions of an account: the balance, which is locked by whoever changes it, and the ledger of actions and packs."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, PrimaryKeyConstraint, text

from ledgerkit.core.platform.database.row_types import AccountRow, VersionedRow, column
from ledgerkit.core.platform.database.tables import account_table


class AiBalanceRow(VersionedRow):
    """Balance of an account's AI actions, locked by whoever changes it; one row for each account that has used any."""

    month: date = column("First day of the month, in the account's time zone, that used counts.")
    used: int = column(
        "Free actions taken in that month, reserved ones too; never below zero.",
        server_default=text("0"),
    )
    purchased: int = column("Actions left of all packs together; never below zero.", server_default=text("0"))


ai_balance = account_table(
    "ai_balance",
    AiBalanceRow,
    CheckConstraint("used >= 0 and purchased >= 0", name="not_negative"),
    PrimaryKeyConstraint("account_id"),
)


class AiActionRow(AccountRow):
    """One AI action, reserved before the work, then charged with its result or given back."""

    kind: str = column("What it pays for: scan-receipt, categorize or import-invoice.")
    status: str = column("State: reserved while it is worked on, then charged, or released where it is given back.")
    paid_by: str = column("What it is taken from: free (the month's free actions) or pack (bought ones).")
    month: date = column("First day of the month, in the account's time zone, in which it was taken from the balance.")
    user_id: UUID | None = column("Id of the user who asked; null where a team's API key did.")
    channel: str = column("Way by which it was asked for: api, web, mcp, messaging, or system for the server itself.")
    engine: str | None = column(
        "Name of what gave the result, as rapidocr; null while there is no result, and where none was named.",
    )
    expires_at: datetime = column(
        "Moment in UTC, ten minutes after the reservation, from which it is given back unless it was charged.",
    )
    ended_at: datetime | None = column("Moment in UTC at which it was charged or released; null while it is reserved.")


ai_action = account_table(
    "ai_action",
    AiActionRow,
    CheckConstraint("status in ('reserved', 'charged', 'released')", name="status"),
    CheckConstraint("paid_by in ('free', 'pack')", name="paid_by"),
    CheckConstraint("(status = 'reserved') = (ended_at is null)", name="ended"),
    Index("ix_ai_action_month", "account_id", "month"),
    Index("ix_ai_action_reserved", "account_id", "expires_at", postgresql_where=text("status = 'reserved'")),
)


class AiPackRow(AccountRow):
    """One pack of AI actions that the server's operator has granted to the account."""

    actions: int = column("Number of actions granted, 1 to 1,000,000.")
    reference: str | None = column(
        "Operator's name of the payment, unique in the account, so that it is granted once; null for none.",
    )


ai_pack = account_table(
    "ai_pack",
    AiPackRow,
    CheckConstraint("actions > 0", name="actions"),
    Index("uq_ai_pack_reference", "account_id", "reference", unique=True),
)
