"""Imports know the supplier invoice that was recorded from their analysis."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("catalog_import", sa.Column("supplier_invoice_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_catalog_import_account_id_supplier_invoice_id"),
        "catalog_import",
        "supplier_invoice",
        ["account_id", "supplier_invoice_id"],
        ["account_id", "id"],
    )


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_constraint(op.f("fk_catalog_import_account_id_supplier_invoice_id"), "catalog_import", type_="foreignkey")
    op.drop_column("catalog_import", "supplier_invoice_id")
