"""Credit notes of vendors among the supplier invoices: amounts below zero, and the invoice that they correct.

All of what was recorded before are invoices. The way back is refused by its constraints while there are credit notes.
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

STATES = {
    "ix_supplier_invoice_open": ["account_id", "due_date", "id"],
    "ix_supplier_invoice_open_vendor": ["account_id", "vendor_id", "due_date"],
    "ix_supplier_invoice_paid": ["account_id", "due_date", "id"],
}


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("supplier_invoice", sa.Column("rectifies", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_supplier_invoice_account_id_rectifies"),
        "supplier_invoice",
        "supplier_invoice",
        ["account_id", "rectifies"],
        ["account_id", "id"],
    )
    replace_checks("paid_amount between least(total, 0) and greatest(total, 0)", "amount <> 0")
    replace_indexes("balance <> 0", "balance = 0")


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    replace_indexes("balance > 0", "balance <= 0")
    replace_checks("paid_amount >= 0 and paid_amount <= total", "amount > 0")
    op.drop_constraint(op.f("fk_supplier_invoice_account_id_rectifies"), "supplier_invoice", type_="foreignkey")
    op.drop_column("supplier_invoice", "rectifies")


def replace_checks(paid: str, payment: str) -> None:
    for table, name, condition in (
        ("supplier_invoice", "paid_up_to_total", paid),
        ("supplier_payment", "amount", payment),
    ):
        constraint = op.f(f"ck_{table}_{name}")
        op.drop_constraint(constraint, table, type_="check")
        op.create_check_constraint(constraint, table, condition)


def replace_indexes(is_open: str, is_paid: str) -> None:
    for name, columns in STATES.items():
        condition = is_paid if name.endswith("paid") else is_open
        op.drop_index(name, table_name="supplier_invoice")
        op.create_index(
            name, "supplier_invoice", columns, postgresql_where=sa.text(f"{condition} and cancelled_at is null")
        )
