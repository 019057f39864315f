"""Supplier invoices and their payments."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from ledgerkit.core.database.tenancy import policy_statements

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

SCOPES = {"supplier_invoice": "account", "supplier_payment": "append_only", "vendor_payable": "account"}


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "supplier_invoice",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("vendor_id", sa.Uuid(), nullable=False),
        sa.Column("vendor_name", sa.Text(), nullable=False),
        sa.Column("vendor_tax_id", sa.Text(), nullable=True),
        sa.Column("vendor_country", sa.Text(), nullable=False),
        sa.Column("invoice_number", sa.Text(), nullable=True),
        sa.Column("number_key", sa.Text(), nullable=True),
        sa.Column("invoice_date", sa.Date(), nullable=False),
        sa.Column("operation_date", sa.Date(), nullable=True),
        sa.Column("reception_date", sa.Date(), nullable=False),
        sa.Column("deduction_date", sa.Date(), nullable=False),
        sa.Column("due_date", sa.Date(), nullable=False),
        sa.Column("items", postgresql.JSON(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("tax_breakdown", postgresql.JSON(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("subtotal", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("tax_rate", sa.Numeric(precision=6, scale=3), nullable=False),
        sa.Column("tax_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("surcharge_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("self_assessed_tax", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("retention_rate", sa.Numeric(precision=6, scale=3), nullable=True),
        sa.Column("retention_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("total", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("paid_amount", sa.Numeric(precision=15, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "balance",
            sa.Numeric(precision=15, scale=2),
            sa.Computed("total - paid_amount", persisted=True),
            nullable=False,
        ),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("attachment_url", sa.Text(), nullable=True),
        sa.Column("reverse_charge", sa.Boolean(), nullable=False),
        sa.Column("intra_eu", sa.Text(), nullable=False),
        sa.Column("investment_good", sa.Boolean(), nullable=False),
        sa.Column("deductible_percent", sa.Numeric(precision=6, scale=3), nullable=False),
        sa.Column("deductible_tax_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("income_tax_percent", sa.Numeric(precision=6, scale=3), nullable=False),
        sa.Column("regime_key", sa.Text(), nullable=True),
        sa.Column("cancel_reason", sa.Text(), nullable=True),
        sa.Column("cancelled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.CheckConstraint("intra_eu in ('none', 'goods', 'services')", name=op.f("ck_supplier_invoice_intra_eu")),
        sa.CheckConstraint(
            "cancelled_at is null or paid_amount = 0", name=op.f("ck_supplier_invoice_cancelled_unpaid")
        ),
        sa.CheckConstraint(
            "paid_amount >= 0 and paid_amount <= total", name=op.f("ck_supplier_invoice_paid_up_to_total")
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "vendor_id"],
            ["vendor.account_id", "vendor.id"],
            name=op.f("fk_supplier_invoice_account_id_vendor_id"),
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_supplier_invoice")),
        info={"scope": "account"},
    )
    op.create_index("ix_supplier_invoice_balance", "supplier_invoice", ["account_id", "balance", "id"], unique=False)
    op.create_index(
        "ix_supplier_invoice_cancelled",
        "supplier_invoice",
        ["account_id", "due_date", "id"],
        unique=False,
        postgresql_where=sa.text("cancelled_at is not null"),
    )
    op.create_index("ix_supplier_invoice_created", "supplier_invoice", ["account_id", "created_at", "id"], unique=False)
    op.create_index("ix_supplier_invoice_dated", "supplier_invoice", ["account_id", "invoice_date", "id"], unique=False)
    op.create_index(
        "ix_supplier_invoice_deduction",
        "supplier_invoice",
        ["account_id", "deduction_date"],
        unique=False,
        postgresql_where=sa.text("cancelled_at is null"),
    )
    op.create_index("ix_supplier_invoice_due", "supplier_invoice", ["account_id", "due_date", "id"], unique=False)
    op.create_index(
        "ix_supplier_invoice_open",
        "supplier_invoice",
        ["account_id", "due_date", "id"],
        unique=False,
        postgresql_where=sa.text("balance > 0 and cancelled_at is null"),
    )
    op.create_index(
        "ix_supplier_invoice_open_vendor",
        "supplier_invoice",
        ["account_id", "vendor_id", "due_date"],
        unique=False,
        postgresql_where=sa.text("balance > 0 and cancelled_at is null"),
    )
    op.create_index(
        "ix_supplier_invoice_paid",
        "supplier_invoice",
        ["account_id", "due_date", "id"],
        unique=False,
        postgresql_where=sa.text("balance <= 0 and cancelled_at is null"),
    )
    op.create_index(
        "ix_supplier_invoice_reception",
        "supplier_invoice",
        ["account_id", "reception_date"],
        unique=False,
        postgresql_where=sa.text("cancelled_at is null"),
    )
    op.create_index("ix_supplier_invoice_total", "supplier_invoice", ["account_id", "total", "id"], unique=False)
    op.create_index(
        "ix_supplier_invoice_vendor", "supplier_invoice", ["account_id", "vendor_id", "due_date", "id"], unique=False
    )
    op.create_index(
        "uq_supplier_invoice_number",
        "supplier_invoice",
        ["account_id", "vendor_id", "number_key"],
        unique=True,
        postgresql_where=sa.text("cancelled_at is null"),
    )
    op.create_table(
        "supplier_payment",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("supplier_invoice_id", sa.Uuid(), nullable=False),
        sa.Column("vendor_id", sa.Uuid(), nullable=False),
        sa.Column("vendor_name", sa.Text(), nullable=False),
        sa.Column("amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("payment_method", sa.Text(), nullable=False),
        sa.Column("payment_date", sa.Date(), nullable=False),
        sa.Column("bank", sa.Text(), nullable=True),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("attachment_url", sa.Text(), nullable=True),
        sa.Column("balance_after", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.CheckConstraint("amount > 0", name=op.f("ck_supplier_payment_amount")),
        sa.ForeignKeyConstraint(
            ["account_id", "supplier_invoice_id"],
            ["supplier_invoice.account_id", "supplier_invoice.id"],
            name=op.f("fk_supplier_payment_account_id_supplier_invoice_id"),
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_supplier_payment")),
        info={"scope": "append_only"},
    )
    op.create_index("ix_supplier_payment_dated", "supplier_payment", ["account_id", "payment_date", "id"], unique=False)
    op.create_index(
        "ix_supplier_payment_invoice", "supplier_payment", ["account_id", "supplier_invoice_id", "id"], unique=False
    )
    op.create_index(
        "ix_supplier_payment_method",
        "supplier_payment",
        ["account_id", "payment_method", "payment_date", "id"],
        unique=False,
    )
    op.create_index(
        "ix_supplier_payment_vendor",
        "supplier_payment",
        ["account_id", "vendor_id", "payment_date", "id"],
        unique=False,
    )
    op.create_table(
        "vendor_payable",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("vendor_id", sa.Uuid(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("vendor_name", sa.Text(), nullable=False),
        sa.Column("vendor_tax_id", sa.Text(), nullable=True),
        sa.Column("invoice_count", sa.Integer(), nullable=False),
        sa.Column("invoiced", sa.Numeric(precision=17, scale=2), nullable=False),
        sa.Column("paid", sa.Numeric(precision=17, scale=2), nullable=False),
        sa.Column(
            "balance", sa.Numeric(precision=17, scale=2), sa.Computed("invoiced - paid", persisted=True), nullable=False
        ),
        sa.PrimaryKeyConstraint("account_id", "vendor_id", "currency", name=op.f("pk_vendor_payable")),
        info={"scope": "account"},
    )
    op.create_index(
        "ix_vendor_payable_balance",
        "vendor_payable",
        ["account_id", "currency", "balance", "vendor_id"],
        unique=False,
        postgresql_where=sa.text("invoice_count > 0"),
    )
    for table, scope in SCOPES.items():
        for statement in policy_statements(table, scope):
            op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index(
        "ix_vendor_payable_balance", table_name="vendor_payable", postgresql_where=sa.text("invoice_count > 0")
    )
    op.drop_table("vendor_payable")
    op.drop_index("ix_supplier_payment_vendor", table_name="supplier_payment")
    op.drop_index("ix_supplier_payment_method", table_name="supplier_payment")
    op.drop_index("ix_supplier_payment_invoice", table_name="supplier_payment")
    op.drop_index("ix_supplier_payment_dated", table_name="supplier_payment")
    op.drop_table("supplier_payment")
    op.drop_index(
        "uq_supplier_invoice_number", table_name="supplier_invoice", postgresql_where=sa.text("cancelled_at is null")
    )
    op.drop_index("ix_supplier_invoice_vendor", table_name="supplier_invoice")
    op.drop_index("ix_supplier_invoice_total", table_name="supplier_invoice")
    op.drop_index(
        "ix_supplier_invoice_reception", table_name="supplier_invoice", postgresql_where=sa.text("cancelled_at is null")
    )
    op.drop_index(
        "ix_supplier_invoice_paid",
        table_name="supplier_invoice",
        postgresql_where=sa.text("balance <= 0 and cancelled_at is null"),
    )
    op.drop_index(
        "ix_supplier_invoice_open_vendor",
        table_name="supplier_invoice",
        postgresql_where=sa.text("balance > 0 and cancelled_at is null"),
    )
    op.drop_index(
        "ix_supplier_invoice_open",
        table_name="supplier_invoice",
        postgresql_where=sa.text("balance > 0 and cancelled_at is null"),
    )
    op.drop_index("ix_supplier_invoice_due", table_name="supplier_invoice")
    op.drop_index(
        "ix_supplier_invoice_deduction", table_name="supplier_invoice", postgresql_where=sa.text("cancelled_at is null")
    )
    op.drop_index("ix_supplier_invoice_dated", table_name="supplier_invoice")
    op.drop_index("ix_supplier_invoice_created", table_name="supplier_invoice")
    op.drop_index(
        "ix_supplier_invoice_cancelled",
        table_name="supplier_invoice",
        postgresql_where=sa.text("cancelled_at is not null"),
    )
    op.drop_index("ix_supplier_invoice_balance", table_name="supplier_invoice")
    op.drop_table("supplier_invoice")
