"""Invoices and supplier invoices in another currency hold an exchange rate and their amounts in the account's.

Documents of before have no rate: they count in no report, as they did.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_DOCUMENTS = ("invoice", "supplier_invoice")
_PAYMENTS = ("invoice_payment", "supplier_payment")


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for table in _DOCUMENTS:
        op.add_column(table, sa.Column("exchange_rate", sa.Numeric(14, 8)))
        op.add_column(table, sa.Column("exchange_rate_source", sa.Text()))
        op.add_column(table, sa.Column("converted", postgresql.JSON()))
    op.add_column("invoice", sa.Column("converted_replaced", postgresql.JSON()))
    for table in _PAYMENTS:
        op.add_column(table, sa.Column("base_amount", sa.Numeric(15, 2)))


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for table in _PAYMENTS:
        op.drop_column(table, "base_amount")
    op.drop_column("invoice", "converted_replaced")
    for table in _DOCUMENTS:
        op.drop_column(table, "converted")
        op.drop_column(table, "exchange_rate_source")
        op.drop_column(table, "exchange_rate")
