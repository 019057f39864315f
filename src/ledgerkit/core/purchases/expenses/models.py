"""Tables of expenses, with all that tax declarations need of them, and of the counts by vendor name.

`amount`, `net_amount`, `tax_amount` and `retention_amount` are in the expense's `currency`. `base_total` (gross),
`base_amount` (net), `base_tax_amount`, `base_retention_amount` and `deductible_tax_amount` are in the account's, by
`exchange_rate`: they are what reports and declarations add up. VAT that the buyer assesses (`reverse_charge`, or
`intra_eu` other than none) is in `tax_amount` but not in `amount`: nobody pays it to the vendor.

`rectifies` is the id of the expense or supplier invoice that a credit note corrects: of two tables, so without a
foreign key, and no row of either is ever really deleted. `paid_at` null means not paid yet. Input VAT belongs to
`deduction_date`, income tax to `reception_date`.
"""

import datetime as dt
from decimal import Decimal
from uuid import UUID

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

from ledgerkit.core.platform.database.row_types import AccountRow, VersionedRow
from ledgerkit.core.platform.database.tables import account_key, account_table

_MONEY = Numeric(15, 2)
_RATE = Numeric(6, 3)
_NOT_DELETED = text("deleted_at is null")
_WITH_VENDOR_NAME = text("deleted_at is null and vendor_key is not null")
_WITH_VENDOR = text("vendor_id is not null")


class ExpenseRow(AccountRow):
    description: str
    doc_type: str
    invoice_number: str | None
    category: str
    vendor: str | None
    vendor_id: UUID | None
    vendor_tax_id: str | None
    vendor_country: str | None
    amount: Decimal
    net_amount: Decimal
    tax_rate: Decimal
    tax_amount: Decimal
    retention_rate: Decimal
    retention_amount: Decimal
    currency: str
    exchange_rate: Decimal
    base_total: Decimal
    base_amount: Decimal
    base_tax_amount: Decimal
    base_retention_amount: Decimal
    deductible: bool
    deductible_percent: Decimal
    deductible_tax_amount: Decimal
    income_tax_percent: Decimal
    date: dt.date
    operation_date: dt.date | None
    reception_date: dt.date
    deduction_date: dt.date
    reverse_charge: bool
    intra_eu: str
    investment_good: bool
    regime_key: str | None
    retention_kind: str | None
    leased_property: str | None
    import_dua: str | None
    useful_life_years: int | None
    triangular: bool
    rectifies: UUID | None
    payment_method: str | None
    paid_at: dt.date | None
    receipt_url: str | None
    source: str
    notes: str | None
    created_by: UUID | None
    channel: str
    vendor_key: str | None
    search_text: str
    deleted_at: dt.datetime | None


expense = account_table(
    "expense",
    ExpenseRow,
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
    Column("retention_kind", Text),
    Column("leased_property", Text),
    Column("import_dua", Text),
    Column("useful_life_years", Integer),
    Column("triangular", Boolean, nullable=False, server_default=text("false")),
    Column("rectifies", Uuid),
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
    CheckConstraint(
        "retention_kind in ('employment', 'employment_in_kind', 'professional', 'rent', 'other')", name="retention_kind"
    ),
    CheckConstraint("vendor_id is null or deleted_at is null", name="hidden_ones_hold_no_vendor"),
    Index("ix_expense_listed", "account_id", "date", "created_at", "id", postgresql_where=_NOT_DELETED),
    Index("ix_expense_category", "account_id", "category", "date", "created_at", "id", postgresql_where=_NOT_DELETED),
    Index("ix_expense_vendor", "account_id", "vendor_id", "date", "created_at", "id", postgresql_where=_WITH_VENDOR),
    Index("ix_expense_vendor_category", "account_id", "vendor_id", "category", postgresql_where=_WITH_VENDOR),
    Index(
        "ix_expense_vendor_key",
        "account_id",
        "vendor_key",
        "date",
        "created_at",
        "id",
        postgresql_where=_WITH_VENDOR_NAME,
    ),
    Index("ix_expense_reception", "account_id", "reception_date", postgresql_where=_NOT_DELETED),
    Index("ix_expense_deduction", "account_id", "deduction_date", postgresql_where=_NOT_DELETED),
    Index(
        "ix_expense_paid", "account_id", "paid_at", postgresql_where=text("deleted_at is null and paid_at is not null")
    ),
    Index("ix_expense_unpaid", "account_id", "date", postgresql_where=text("deleted_at is null and paid_at is null")),
)


class ExpenseVendorRow(VersionedRow):
    vendor_key: str
    count: int


expense_vendor = account_table(
    "expense_vendor",
    ExpenseVendorRow,
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
