"""An index of the fiscal records that the authority refused or remarked on."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_index(
        "ix_fiscal_status_faulty",
        "fiscal_status",
        ["account_id", "record_id"],
        postgresql_where=sa.text("state in ('rejected', 'accepted_with_errors')"),
    )


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index("ix_fiscal_status_faulty", table_name="fiscal_status")
