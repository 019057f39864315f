"""An index of the entries that say what was taken back."""

from alembic import op

revision = "0063"
down_revision = "0062"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.execute("create index ix_activity_undone on activity (account_id, entity_id) where action = 'undone'")
