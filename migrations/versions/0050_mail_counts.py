"""Counts of the mails of a day, for the quota of each account."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "mail_count",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("mails", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_mail_count")),
        sa.UniqueConstraint("account_id", name=op.f("uq_mail_count_account_id")),
        info={"scope": "account"},
    )
    for statement in policy_statements("mail_count", "account"):
        op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_table("mail_count")
