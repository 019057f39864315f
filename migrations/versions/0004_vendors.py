"""Vendors."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "vendor",
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
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tax_id", sa.Text(), nullable=True),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("city", sa.Text(), nullable=True),
        sa.Column("province", sa.Text(), nullable=True),
        sa.Column("postal_code", sa.Text(), nullable=True),
        sa.Column("contact_name", sa.Text(), nullable=True),
        sa.Column("iban", sa.Text(), nullable=True),
        sa.Column("payment_term_days", sa.Integer(), nullable=True),
        sa.Column("default_category", sa.Text(), nullable=True),
        sa.Column("default_tax_rate", sa.Numeric(precision=6, scale=3), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("tax_key", sa.Text(), nullable=True),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_vendor")),
        info={"scope": "account"},
    )
    op.create_index("ix_vendor_name", "vendor", ["account_id", "name_key", "id"], unique=False)
    op.create_index(
        "uq_vendor_name", "vendor", ["account_id", "name_key"], unique=True, postgresql_where=sa.text("tax_key is null")
    )
    op.create_index(
        "uq_vendor_tax_id",
        "vendor",
        ["account_id", "tax_key"],
        unique=True,
        postgresql_where=sa.text("tax_key is not null"),
    )
    for statement in policy_statements("vendor", "account"):
        op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index("uq_vendor_tax_id", table_name="vendor", postgresql_where=sa.text("tax_key is not null"))
    op.drop_index("uq_vendor_name", table_name="vendor", postgresql_where=sa.text("tax_key is null"))
    op.drop_index("ix_vendor_name", table_name="vendor")
    op.drop_table("vendor")
