"""Removals of attachments' contents, begun and done: the store is asked between two transactions."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    stamp = sa.text("current_setting('ledgerkit.account_id')::uuid")
    now = sa.text("now()")
    op.create_table(
        "attachment_removal",
        sa.Column("account_id", sa.Uuid(), server_default=stamp, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("account_id", "sha256", name=op.f("pk_attachment_removal")),
        info={"scope": "account"},
    )
    for statement in policy_statements("attachment_removal", "account"):
        op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_table("attachment_removal")
