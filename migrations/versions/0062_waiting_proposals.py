"""The index of proposals that wait has what their lists ask, so that ten thousand of them are counted at once."""

from alembic import op

revision = "0062"
down_revision = "0061"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.execute("drop index ix_approval_pending")
    op.execute(
        "create index ix_approval_pending on approval (account_id, id) "
        "include (expires_at, permission, proposed_by) where status = 'pending'"
    )
