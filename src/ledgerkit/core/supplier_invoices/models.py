"""Tables of supplier invoices: the invoices, their payments, and what each vendor is owed in all.

Amounts are in the document's own currency. VAT that the buyer assesses (`reverse_charge`, or `intra_eu` other than
none) is `self_assessed_tax` and no part of `total`. Input VAT belongs to `deduction_date`, income tax to
`reception_date`, as for expenses.
"""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Computed,
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

from ledgerkit.core.database.tables import JSON, account_key, account_table

_MONEY = Numeric(15, 2)
_SUM = Numeric(17, 2)
_RATE = Numeric(6, 3)

OPEN = text("balance > 0 and cancelled_at is null")
PAID = text("balance <= 0 and cancelled_at is null")
CANCELLED = text("cancelled_at is not null")
NOT_CANCELLED = text("cancelled_at is null")

supplier_invoice = account_table(
    "supplier_invoice",
    Column("vendor_id", Uuid, nullable=False),
    Column("vendor_name", Text, nullable=False),
    Column("vendor_tax_id", Text),
    Column("vendor_country", Text, nullable=False),
    Column("invoice_number", Text),
    Column("number_key", Text),
    Column("invoice_date", Date, nullable=False),
    Column("operation_date", Date),
    Column("reception_date", Date, nullable=False),
    Column("deduction_date", Date, nullable=False),
    Column("due_date", Date, nullable=False),
    Column("items", JSON, nullable=False),
    Column("tax_breakdown", JSON, nullable=False),
    Column("subtotal", _MONEY, nullable=False),
    Column("tax_rate", _RATE, nullable=False),
    Column("tax_amount", _MONEY, nullable=False),
    Column("surcharge_amount", _MONEY, nullable=False),
    Column("self_assessed_tax", _MONEY, nullable=False),
    Column("retention_rate", _RATE),
    Column("retention_amount", _MONEY, nullable=False),
    Column("total", _MONEY, nullable=False),
    Column("paid_amount", _MONEY, nullable=False, server_default=text("0")),
    Column("balance", _MONEY, Computed("total - paid_amount", persisted=True), nullable=False),
    Column("currency", Text, nullable=False),
    Column("category", Text),
    Column("notes", Text),
    Column("attachment_url", Text),
    Column("reverse_charge", Boolean, nullable=False),
    Column("intra_eu", Text, nullable=False),
    Column("investment_good", Boolean, nullable=False),
    Column("deductible_percent", _RATE, nullable=False),
    Column("deductible_tax_amount", _MONEY, nullable=False),
    Column("income_tax_percent", _RATE, nullable=False),
    Column("regime_key", Text),
    Column("cancel_reason", Text),
    Column("cancelled_at", DateTime(timezone=True)),
    Column("created_by", Uuid),
    Column("channel", Text, nullable=False),
    Column("search_text", Text, nullable=False),
    account_key("vendor_id", "vendor"),
    CheckConstraint("paid_amount >= 0 and paid_amount <= total", name="paid_up_to_total"),
    CheckConstraint("intra_eu in ('none', 'goods', 'services')", name="intra_eu"),
    CheckConstraint("cancelled_at is null or paid_amount = 0", name="cancelled_unpaid"),
    Index("ix_supplier_invoice_due", "account_id", "due_date", "id"),
    Index("ix_supplier_invoice_dated", "account_id", "invoice_date", "id"),
    Index("ix_supplier_invoice_created", "account_id", "created_at", "id"),
    Index("ix_supplier_invoice_total", "account_id", "total", "id"),
    Index("ix_supplier_invoice_balance", "account_id", "balance", "id"),
    Index("ix_supplier_invoice_deduction", "account_id", "deduction_date", postgresql_where=NOT_CANCELLED),
    Index("ix_supplier_invoice_reception", "account_id", "reception_date", postgresql_where=NOT_CANCELLED),
    Index("ix_supplier_invoice_vendor", "account_id", "vendor_id", "due_date", "id"),
    Index("ix_supplier_invoice_open", "account_id", "due_date", "id", postgresql_where=OPEN),
    Index("ix_supplier_invoice_open_vendor", "account_id", "vendor_id", "due_date", postgresql_where=OPEN),
    Index("ix_supplier_invoice_paid", "account_id", "due_date", "id", postgresql_where=PAID),
    Index("ix_supplier_invoice_cancelled", "account_id", "due_date", "id", postgresql_where=CANCELLED),
    Index(
        "uq_supplier_invoice_number",
        "account_id",
        "vendor_id",
        "number_key",
        unique=True,
        postgresql_where=NOT_CANCELLED,
    ),
)

supplier_payment = account_table(
    "supplier_payment",
    Column("supplier_invoice_id", Uuid, nullable=False),
    Column("vendor_id", Uuid, nullable=False),
    Column("vendor_name", Text, nullable=False),
    Column("amount", _MONEY, nullable=False),
    Column("currency", Text, nullable=False),
    Column("payment_method", Text, nullable=False),
    Column("payment_date", Date, nullable=False),
    Column("bank", Text),
    Column("reference", Text),
    Column("notes", Text),
    Column("attachment_url", Text),
    Column("balance_after", _MONEY, nullable=False),
    Column("created_by", Uuid),
    Column("channel", Text, nullable=False),
    account_key("supplier_invoice_id", "supplier_invoice"),
    CheckConstraint("amount > 0", name="amount"),
    Index("ix_supplier_payment_invoice", "account_id", "supplier_invoice_id", "id"),
    Index("ix_supplier_payment_dated", "account_id", "payment_date", "id"),
    Index("ix_supplier_payment_vendor", "account_id", "vendor_id", "payment_date", "id"),
    Index("ix_supplier_payment_method", "account_id", "payment_method", "payment_date", "id"),
    append_only=True,
)

vendor_payable = account_table(
    "vendor_payable",
    Column("vendor_id", Uuid, nullable=False),
    Column("currency", Text, nullable=False),
    Column("vendor_name", Text, nullable=False),
    Column("vendor_tax_id", Text),
    Column("invoice_count", Integer, nullable=False),
    Column("invoiced", _SUM, nullable=False),
    Column("paid", _SUM, nullable=False),
    Column("balance", _SUM, Computed("invoiced - paid", persisted=True), nullable=False),
    PrimaryKeyConstraint("account_id", "vendor_id", "currency"),
    Index(
        "ix_vendor_payable_balance",
        "account_id",
        "currency",
        "balance",
        "vendor_id",
        postgresql_where=text("invoice_count > 0"),
    ),
    keyed=False,
)
"""What a vendor has invoiced and been paid in one currency, cancelled invoices left out: kept beside the invoices, in
the transaction that changes them, so that the overview of all vendors does not read a lifetime of invoices. It needs no
foreign key: whoever stands here has invoices, and they hold the vendor."""
