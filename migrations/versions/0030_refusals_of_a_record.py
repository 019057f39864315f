"""Records count the refusals of a message with them alone apart from its silences.

Doubts of before may be either: they are taken for silences, so that nothing is rejected sooner than it should be.
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("fiscal_status", sa.Column("refusals", sa.Integer(), server_default=sa.text("0"), nullable=False))


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_column("fiscal_status", "refusals")
