"""Payments to vendors are found by their invoices: the index by the vendor that they were recorded with goes."""

from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index("ix_supplier_payment_vendor", table_name="supplier_payment")


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    columns = ["account_id", "vendor_id", "payment_date", "id"]
    op.create_index("ix_supplier_payment_vendor", "supplier_payment", columns)
