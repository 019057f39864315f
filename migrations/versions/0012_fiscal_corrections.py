"""Records that correct or strike out earlier ones."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")


def downgrade() -> None:
    """Nothing to take back."""
