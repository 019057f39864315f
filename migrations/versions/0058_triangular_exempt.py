"""Triangular invoices that were issued as exempt stay what their record and print say."""

import sqlalchemy as sa
from alembic import op

revision = "0058"
down_revision = "0051"
branch_labels = None
depends_on = None

ISSUED_AS_EXEMPT = "update invoice set triangular_exempt = true where triangular and number is not null"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    column = sa.Column("triangular_exempt", sa.Boolean(), server_default=sa.text("false"), nullable=False)
    op.add_column("invoice", column)
    op.execute(ISSUED_AS_EXEMPT)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_column("invoice", "triangular_exempt")
