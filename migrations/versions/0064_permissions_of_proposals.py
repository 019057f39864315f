"""A proposal needs all permissions that its rehearsal has asked for, not only that of its operation."""

from alembic import op

revision = "0064"
down_revision = "0063"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.execute("drop index ix_approval_pending")
    op.execute("alter table approval rename column permission to permissions")
    op.execute("alter table approval alter column permissions type text[] using array[permissions]")
    op.execute("alter table approval add column proposer_permissions text[]")
    op.execute("update approval set proposer_permissions = permissions")
    op.execute("alter table approval alter column proposer_permissions set not null")
    op.execute(
        "create index ix_approval_pending on approval (account_id, id) "
        "include (expires_at, permissions, proposed_by) where status = 'pending'"
    )
