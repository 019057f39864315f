"""Beside the key of a request in flight stands the process that works on it."""

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("idempotency_key", sa.Column("process", sa.Integer))


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_column("idempotency_key", "process")
