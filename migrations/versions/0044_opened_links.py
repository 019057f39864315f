"""The moment at which an invoice's public link was first opened."""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("invoice", sa.Column("viewed_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_column("invoice", "viewed_at")
