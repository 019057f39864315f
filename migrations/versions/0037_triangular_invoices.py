"""Issued invoices that are part of a triangular operation within the EU."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("invoice", sa.Column("triangular", sa.Boolean(), server_default=sa.text("false"), nullable=False))


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_column("invoice", "triangular")
