"""Details of received documents for tax declarations: why tax is withheld, what is leased, the customs document,
the useful life of investment goods, triangular goods, what a credit note corrects.

All are empty for what was recorded before.
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

TABLES = ("expense", "supplier_invoice")
KINDS = "retention_kind in ('employment', 'employment_in_kind', 'professional', 'rent', 'other')"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for table in TABLES:
        op.add_column(table, sa.Column("retention_kind", sa.Text(), nullable=True))
        op.add_column(table, sa.Column("leased_property", sa.Text(), nullable=True))
        op.add_column(table, sa.Column("import_dua", sa.Text(), nullable=True))
        op.add_column(table, sa.Column("useful_life_years", sa.Integer(), nullable=True))
        op.add_column(table, sa.Column("triangular", sa.Boolean(), server_default=sa.text("false"), nullable=False))
        op.create_check_constraint(op.f(f"ck_{table}_retention_kind"), table, KINDS)
    op.add_column("expense", sa.Column("rectifies", sa.Uuid(), nullable=True))


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_column("expense", "rectifies")
    for table in TABLES:
        op.drop_constraint(op.f(f"ck_{table}_retention_kind"), table, type_="check")
        for column in ("triangular", "useful_life_years", "import_dua", "leased_property", "retention_kind"):
            op.drop_column(table, column)
