"""Clients tell a company that somebody has stated from one that only has the usual value."""

from alembic import op

revision = "0065"
down_revision = "0064"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.execute("alter table client add column is_company_stated boolean not null default false")
