"""The activity log names client and tool; confirmations that were used are stored."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def account_columns() -> list[sa.Column]:
    stamp = sa.text("current_setting('ledgerkit.account_id')::uuid")
    now = sa.text("now()")
    return [
        sa.Column("account_id", sa.Uuid(), server_default=stamp, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
    ]


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("activity", sa.Column("client", sa.Text(), nullable=True))
    op.add_column("activity", sa.Column("tool", sa.Text(), nullable=True))
    op.create_table(
        "used_confirmation",
        *account_columns(),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "token_hash", name=op.f("pk_used_confirmation")),
    )
    for statement in policy_statements("used_confirmation", "account"):
        op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_table("used_confirmation")
    op.drop_column("activity", "tool")
    op.drop_column("activity", "client")
