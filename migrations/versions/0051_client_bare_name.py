"""Clients are found by their name whatever its spaces."""

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    columns = ["account_id", sa.text("replace(name_key, ' ', '')")]
    op.create_index("ix_client_bare_name", "client", columns, postgresql_where=sa.text("deleted_at is null"))


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index("ix_client_bare_name", table_name="client")
