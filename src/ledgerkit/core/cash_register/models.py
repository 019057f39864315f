"""Cash registers with their sums, their movements, and the counter of closings."""

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

from ledgerkit.core.database.tables import JSON, account_key, account_table

_SUM = Numeric(15, 2)
_CLOSED = text("status = 'closed'")

SUMS = ("sales", "refunds", "cash_in", "cash_out", "cash", "card", "transfer")
"""What has moved since the opening, kept with every movement: by kind, then net takings by payment method."""

cash_register = account_table(
    "cash_register",
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
"""`holder` is the user, or the account itself for the team's key, which is nobody."""

cash_movement = account_table(
    "cash_movement",
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

cash_register_counter = account_table(
    "cash_register_counter",
    Column("next", Integer, nullable=False),
    PrimaryKeyConstraint("account_id"),
    keyed=False,
)
"""The next Z number of the account, gapless."""
