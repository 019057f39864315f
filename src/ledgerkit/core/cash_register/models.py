"""Cash registers with their sums, their movements, and the counter of closings."""

from datetime import datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Index,
    Integer,
    Numeric,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)

from ledgerkit.core.platform.database.row_types import AccountRow, AppendOnlyRow, VersionedRow
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table
from ledgerkit.core.sales.invoices.stored import StoredLine

_SUM = Numeric(15, 2)
_CLOSED = text("status = 'closed'")

SUMS = ("sales", "refunds", "cash_in", "cash_out", "cash", "card", "transfer")
"""Sums of the movements since the opening: by kind, then net takings by payment method. Updated by every movement."""


class CashRegisterRow(AccountRow):
    holder: UUID
    user_id: UUID | None
    user_name: str
    channel: str
    status: str
    currency: str
    opening_amount: Decimal
    notes: str | None
    sales: Decimal
    refunds: Decimal
    cash_in: Decimal
    cash_out: Decimal
    cash: Decimal
    card: Decimal
    transfer: Decimal
    sales_count: int
    movement_count: int
    expected_amount: Decimal
    closing_amount: Decimal | None
    difference: Decimal | None
    closing_notes: str | None
    closed_at: datetime | None
    z_number: int | None


cash_register = account_table(
    "cash_register",
    CashRegisterRow,
    Column("holder", Uuid, nullable=False),
    Column("user_id", Uuid),
    Column("user_name", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("status", Text, nullable=False, server_default=text("'open'")),
    Column("currency", Text, nullable=False),
    Column("opening_amount", _SUM, nullable=False),
    Column("notes", Text),
    *(Column(name, _SUM, nullable=False, server_default=text("0")) for name in SUMS),
    Column("sales_count", Integer, nullable=False, server_default=text("0")),
    Column("movement_count", Integer, nullable=False, server_default=text("0")),
    Column("expected_amount", _SUM, nullable=False),
    Column("closing_amount", _SUM),
    Column("difference", _SUM),
    Column("closing_notes", Text),
    Column("closed_at", DateTime(timezone=True)),
    Column("z_number", Integer),
    UniqueConstraint("account_id", "z_number"),
    CheckConstraint("status in ('open', 'closed')", name="status"),
    CheckConstraint(
        "(status = 'closed') = (closed_at is not null and closing_amount is not null"
        " and difference is not null and z_number is not null)",
        name="closed_whole",
    ),
    Index("uq_cash_register_open", "account_id", "holder", unique=True, postgresql_where=text("status = 'open'")),
    Index("ix_cash_register_closed", "account_id", "closed_at", "id", postgresql_where=_CLOSED),
    Index("ix_cash_register_own", "account_id", "holder", "closed_at", "id", postgresql_where=_CLOSED),
)
"""`holder` is the user, or the account for the team's key, which belongs to no user."""


class CashMovementRow(AppendOnlyRow):
    register_id: UUID
    ordinal: int
    type: str
    amount: Decimal
    payment_method: str
    description: str
    invoice_id: UUID | None
    credit_note_id: UUID | None
    consumer_final: bool | None
    line_items: StoredJson[tuple[StoredLine, ...]]
    prices_include_tax: bool
    created_by: UUID | None
    channel: str


cash_movement = account_table(
    "cash_movement",
    CashMovementRow,
    Column("register_id", Uuid, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("type", Text, nullable=False),
    Column("amount", _SUM, nullable=False),
    Column("payment_method", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("invoice_id", Uuid),
    Column("credit_note_id", Uuid),
    Column("consumer_final", Boolean),
    Column("line_items", JSON, nullable=False),
    Column("prices_include_tax", Boolean, nullable=False),
    Column("created_by", Uuid),
    Column("channel", Text, nullable=False),
    account_key("register_id", "cash_register"),
    account_key("invoice_id", "invoice"),
    account_key("credit_note_id", "invoice"),
    UniqueConstraint("account_id", "register_id", "ordinal"),
    Index("ix_cash_movement_invoice", "account_id", "invoice_id", postgresql_where=text("invoice_id is not null")),
    append_only=True,
)


class CashRegisterCounterRow(VersionedRow):
    next: int


cash_register_counter = account_table(
    "cash_register_counter",
    CashRegisterCounterRow,
    Column("next", Integer, nullable=False),
    PrimaryKeyConstraint("account_id"),
    keyed=False,
)
"""Next Z number of the account, gapless."""
