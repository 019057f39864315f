"""Expenses, and how often each vendor is named."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "expense",
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
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("doc_type", sa.Text(), nullable=False),
        sa.Column("invoice_number", sa.Text(), nullable=True),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("vendor", sa.Text(), nullable=True),
        sa.Column("vendor_id", sa.Uuid(), nullable=True),
        sa.Column("vendor_tax_id", sa.Text(), nullable=True),
        sa.Column("vendor_country", sa.Text(), nullable=True),
        sa.Column("amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("net_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("tax_rate", sa.Numeric(precision=6, scale=3), nullable=False),
        sa.Column("tax_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("retention_rate", sa.Numeric(precision=6, scale=3), nullable=False),
        sa.Column("retention_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("exchange_rate", sa.Numeric(precision=14, scale=8), nullable=False),
        sa.Column("base_total", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("base_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("base_tax_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("base_retention_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("deductible", sa.Boolean(), nullable=False),
        sa.Column("deductible_percent", sa.Numeric(precision=6, scale=3), nullable=False),
        sa.Column("deductible_tax_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("income_tax_percent", sa.Numeric(precision=6, scale=3), nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("operation_date", sa.Date(), nullable=True),
        sa.Column("reception_date", sa.Date(), nullable=False),
        sa.Column("deduction_date", sa.Date(), nullable=False),
        sa.Column("reverse_charge", sa.Boolean(), nullable=False),
        sa.Column("intra_eu", sa.Text(), nullable=False),
        sa.Column("investment_good", sa.Boolean(), nullable=False),
        sa.Column("regime_key", sa.Text(), nullable=True),
        sa.Column("payment_method", sa.Text(), nullable=True),
        sa.Column("paid_at", sa.Date(), nullable=True),
        sa.Column("receipt_url", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("vendor_key", sa.Text(), nullable=True),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id", "vendor_id"],
            ["vendor.account_id", "vendor.id"],
            name=op.f("fk_expense_account_id_vendor_id"),
        ),
        sa.CheckConstraint(
            "vendor_id is null or deleted_at is null", name=op.f("ck_expense_hidden_ones_hold_no_vendor")
        ),
        sa.CheckConstraint("intra_eu in ('none', 'goods', 'services')", name=op.f("ck_expense_intra_eu")),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_expense")),
        info={"scope": "account"},
    )
    op.create_index(
        "ix_expense_category",
        "expense",
        ["account_id", "category", "date", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at is null"),
    )
    op.create_index(
        "ix_expense_deduction",
        "expense",
        ["account_id", "deduction_date"],
        unique=False,
        postgresql_where=sa.text("deleted_at is null"),
    )
    op.create_index(
        "ix_expense_listed",
        "expense",
        ["account_id", "date", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at is null"),
    )
    op.create_index(
        "ix_expense_paid",
        "expense",
        ["account_id", "paid_at"],
        unique=False,
        postgresql_where=sa.text("deleted_at is null and paid_at is not null"),
    )
    op.create_index(
        "ix_expense_unpaid",
        "expense",
        ["account_id", "date"],
        unique=False,
        postgresql_where=sa.text("deleted_at is null and paid_at is null"),
    )
    op.create_index(
        "ix_expense_reception",
        "expense",
        ["account_id", "reception_date"],
        unique=False,
        postgresql_where=sa.text("deleted_at is null"),
    )
    op.create_index(
        "ix_expense_vendor",
        "expense",
        ["account_id", "vendor_id", "date", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("vendor_id is not null"),
    )
    op.create_index(
        "ix_expense_vendor_category",
        "expense",
        ["account_id", "vendor_id", "category"],
        unique=False,
        postgresql_where=sa.text("vendor_id is not null"),
    )
    op.create_index(
        "ix_expense_vendor_key",
        "expense",
        ["account_id", "vendor_key", "date", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at is null and vendor_key is not null"),
    )
    op.create_table(
        "expense_vendor",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("vendor_key", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "vendor_key", name=op.f("pk_expense_vendor")),
        info={"scope": "account"},
    )
    op.create_index(
        "ix_expense_vendor_count",
        "expense_vendor",
        ["account_id", sa.text("count desc"), "vendor_key"],
        unique=False,
        postgresql_where=sa.text("count > 0"),
    )
    for table in ("expense", "expense_vendor"):
        for statement in policy_statements(table, "account"):
            op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index("ix_expense_vendor_count", table_name="expense_vendor", postgresql_where=sa.text("count > 0"))
    op.drop_table("expense_vendor")
    op.drop_index(
        "ix_expense_vendor_key",
        table_name="expense",
        postgresql_where=sa.text("deleted_at is null and vendor_key is not null"),
    )
    op.drop_index("ix_expense_vendor_category", table_name="expense", postgresql_where=sa.text("vendor_id is not null"))
    op.drop_index("ix_expense_vendor", table_name="expense", postgresql_where=sa.text("vendor_id is not null"))
    op.drop_index("ix_expense_reception", table_name="expense", postgresql_where=sa.text("deleted_at is null"))
    op.drop_index(
        "ix_expense_unpaid", table_name="expense", postgresql_where=sa.text("deleted_at is null and paid_at is null")
    )
    op.drop_index(
        "ix_expense_paid", table_name="expense", postgresql_where=sa.text("deleted_at is null and paid_at is not null")
    )
    op.drop_index("ix_expense_listed", table_name="expense", postgresql_where=sa.text("deleted_at is null"))
    op.drop_index("ix_expense_deduction", table_name="expense", postgresql_where=sa.text("deleted_at is null"))
    op.drop_index("ix_expense_category", table_name="expense", postgresql_where=sa.text("deleted_at is null"))
    op.drop_table("expense")
