"""AI actions of an account: the balance, which is locked by whoever changes it, and the ledger of actions and packs."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Column, Date, DateTime, Index, Integer, PrimaryKeyConstraint, Text, Uuid, text

from ledgerkit.core.platform.database.row_types import AccountRow, VersionedRow
from ledgerkit.core.platform.database.tables import account_table


class AiBalanceRow(VersionedRow):
    month: date
    used: int
    purchased: int


ai_balance = account_table(
    "ai_balance",
    AiBalanceRow,
    Column("month", Date, nullable=False),
    Column("used", Integer, nullable=False, server_default=text("0")),
    Column("purchased", Integer, nullable=False, server_default=text("0")),
    CheckConstraint("used >= 0 and purchased >= 0", name="not_negative"),
    PrimaryKeyConstraint("account_id"),
    keyed=False,
)
"""`used`: free actions of `month`, its first day, reserved ones too. `purchased`: what is left of all packs."""


class AiActionRow(AccountRow):
    kind: str
    status: str
    paid_by: str
    month: date
    user_id: UUID | None
    channel: str
    engine: str | None
    expires_at: datetime
    ended_at: datetime | None


ai_action = account_table(
    "ai_action",
    AiActionRow,
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("paid_by", Text, nullable=False),
    Column("month", Date, nullable=False),
    Column("user_id", Uuid),
    Column("channel", Text, nullable=False),
    Column("engine", Text),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Column("ended_at", DateTime(timezone=True)),
    CheckConstraint("status in ('reserved', 'charged', 'released')", name="status"),
    CheckConstraint("paid_by in ('free', 'pack')", name="paid_by"),
    CheckConstraint("(status = 'reserved') = (ended_at is null)", name="ended"),
    Index("ix_ai_action_month", "account_id", "month"),
    Index("ix_ai_action_reserved", "account_id", "expires_at", postgresql_where=text("status = 'reserved'")),
)
"""`month`: first day of the month, in the account's time zone, in which the action was taken from the balance."""


class AiPackRow(AccountRow):
    actions: int
    reference: str | None


ai_pack = account_table(
    "ai_pack",
    AiPackRow,
    Column("actions", Integer, nullable=False),
    Column("reference", Text),
    CheckConstraint("actions > 0", name="actions"),
    Index("uq_ai_pack_reference", "account_id", "reference", unique=True),
)
"""`reference`: the operator's name for the payment, unique in the account, so that it is granted once."""
