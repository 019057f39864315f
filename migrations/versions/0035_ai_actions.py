"""Ledger of AI actions and of granted packs; what accounts had bought before becomes a pack of each."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

TABLES = ("ai_action", "ai_pack")


def account_columns() -> list[sa.Column]:
    stamp = sa.text("current_setting('ledgerkit.account_id')::uuid")
    now = sa.text("now()")
    return [
        sa.Column("account_id", sa.Uuid(), server_default=stamp, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
    ]


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "ai_action",
        *account_columns(),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("paid_by", sa.Text(), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("status in ('reserved', 'charged', 'released')", name=op.f("ck_ai_action_status")),
        sa.CheckConstraint("paid_by in ('free', 'pack')", name=op.f("ck_ai_action_paid_by")),
        sa.CheckConstraint("(status = 'reserved') = (ended_at is null)", name=op.f("ck_ai_action_ended")),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_ai_action")),
        info={"scope": "account"},
    )
    op.create_index("ix_ai_action_month", "ai_action", ["account_id", "month"], unique=False)
    op.create_index(
        "ix_ai_action_reserved",
        "ai_action",
        ["account_id", "expires_at"],
        unique=False,
        postgresql_where=sa.text("status = 'reserved'"),
    )
    op.create_table(
        "ai_pack",
        *account_columns(),
        sa.Column("actions", sa.Integer(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.CheckConstraint("actions > 0", name=op.f("ck_ai_pack_actions")),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_ai_pack")),
        info={"scope": "account"},
    )
    op.create_index("uq_ai_pack_reference", "ai_pack", ["account_id", "reference"], unique=True)
    op.create_check_constraint(op.f("ck_ai_balance_not_negative"), "ai_balance", "used >= 0 and purchased >= 0")
    op.execute(
        "insert into ai_pack (account_id, id, actions)"
        " select account_id, gen_random_uuid(), purchased from ai_balance where purchased > 0"
    )
    for table in TABLES:
        for statement in policy_statements(table, "account"):
            op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_constraint(op.f("ck_ai_balance_not_negative"), "ai_balance", type_="check")
    for table in reversed(TABLES):
        op.drop_table(table)
