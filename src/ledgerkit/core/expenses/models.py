"""Expenses: one row each, with all that the declarations ask of it; and how often each vendor is named.

`amount`, `net_amount`, `tax_amount` and `retention_amount` are in the expense's `currency`. `base_total` (gross),
`base_amount` (net), `base_tax_amount`, `base_retention_amount` and `deductible_tax_amount` are in the account's, by
`exchange_rate`: they are what reports and declarations add up. VAT that the buyer assesses (`reverse_charge`, or
`intra_eu` other than none) is in `tax_amount` but not in `amount`: nobody pays it to the vendor.

`paid_at` null means not paid yet. Input VAT belongs to `deduction_date`, income tax to `reception_date`.
"""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Index,
    Integer,
    Numeric,
    PrimaryKeyConstraint,
    Text,
    Uuid,
    text,
)

from ledgerkit.core.database.tables import account_key, account_table

_MONEY = Numeric(15, 2)
_RATE = Numeric(6, 3)
_LISTED = text("deleted_at is null")
_NAMED = text("deleted_at is null and vendor_key is not null")
_LINKED = text("vendor_id is not null")

expense = account_table(
    "expense",
    Column("description", Text, nullable=False),
    Column("doc_type", Text, nullable=False),
    Column("invoice_number", Text),
    Column("category", Text, nullable=False),
    Column("vendor", Text),
    Column("vendor_id", Uuid),
    Column("vendor_tax_id", Text),
    Column("vendor_country", Text),
    Column("amount", _MONEY, nullable=False),
    Column("net_amount", _MONEY, nullable=False),
    Column("tax_rate", _RATE, nullable=False),
    Column("tax_amount", _MONEY, nullable=False),
    Column("retention_rate", _RATE, nullable=False),
    Column("retention_amount", _MONEY, nullable=False),
    Column("currency", Text, nullable=False),
    Column("exchange_rate", Numeric(14, 8), nullable=False),
    Column("base_total", _MONEY, nullable=False),
    Column("base_amount", _MONEY, nullable=False),
    Column("base_tax_amount", _MONEY, nullable=False),
    Column("base_retention_amount", _MONEY, nullable=False),
    Column("deductible", Boolean, nullable=False),
    Column("deductible_percent", _RATE, nullable=False),
    Column("deductible_tax_amount", _MONEY, nullable=False),
    Column("income_tax_percent", _RATE, nullable=False),
    Column("date", Date, nullable=False),
    Column("operation_date", Date),
    Column("reception_date", Date, nullable=False),
    Column("deduction_date", Date, nullable=False),
    Column("reverse_charge", Boolean, nullable=False),
    Column("intra_eu", Text, nullable=False),
    Column("investment_good", Boolean, nullable=False),
    Column("regime_key", Text),
    Column("payment_method", Text),
    Column("paid_at", Date),
    Column("receipt_url", Text),
    Column("source", Text, nullable=False),
    Column("notes", Text),
    Column("created_by", Uuid),
    Column("channel", Text, nullable=False),
    Column("vendor_key", Text),
    Column("search_text", Text, nullable=False),
    Column("deleted_at", DateTime(timezone=True)),
    account_key("vendor_id", "vendor"),
    CheckConstraint("intra_eu in ('none', 'goods', 'services')", name="intra_eu"),
    CheckConstraint("vendor_id is null or deleted_at is null", name="hidden_ones_hold_no_vendor"),
    Index("ix_expense_listed", "account_id", "date", "created_at", "id", postgresql_where=_LISTED),
    Index("ix_expense_category", "account_id", "category", "date", "created_at", "id", postgresql_where=_LISTED),
    Index("ix_expense_vendor", "account_id", "vendor_id", "date", "created_at", "id", postgresql_where=_LINKED),
    Index("ix_expense_vendor_category", "account_id", "vendor_id", "category", postgresql_where=_LINKED),
    Index("ix_expense_vendor_key", "account_id", "vendor_key", "date", "created_at", "id", postgresql_where=_NAMED),
    Index("ix_expense_reception", "account_id", "reception_date", postgresql_where=_LISTED),
    Index("ix_expense_deduction", "account_id", "deduction_date", postgresql_where=_LISTED),
    Index(
        "ix_expense_paid", "account_id", "paid_at", postgresql_where=text("deleted_at is null and paid_at is not null")
    ),
    Index("ix_expense_unpaid", "account_id", "date", postgresql_where=text("deleted_at is null and paid_at is null")),
)

expense_vendor = account_table(
    "expense_vendor",
    Column("vendor_key", Text, nullable=False),
    Column("count", Integer, nullable=False),
    PrimaryKeyConstraint("account_id", "vendor_key"),
    Index(
        "ix_expense_vendor_count",
        "account_id",
        text("count desc"),
        "vendor_key",
        postgresql_where=text("count > 0"),
    ),
    keyed=False,
)
