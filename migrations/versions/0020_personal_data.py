"""People take their data out, and go: exports, closed accounts, and logs that go with them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from ledgerkit.core.database.tenancy import erasure_statements, policy_statements

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

ERASABLE = ("activity", "mail_log", "search_word", "stock_movement")


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("account", sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("account", sa.Column("kept_until", sa.Date(), nullable=True))
    op.create_table(
        "data_export",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("place", postgresql.JSONB(none_as_null=True), nullable=True),
        sa.Column("parts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("ready_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state in ('making', 'ready', 'failed')", name=op.f("ck_data_export_state")),
        sa.ForeignKeyConstraint(["user_id"], ["app_user.id"], name=op.f("fk_data_export_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_data_export")),
        sa.UniqueConstraint("user_id", name=op.f("uq_data_export_user_id")),
        info={"scope": "reference"},
    )
    for statement in policy_statements("data_export", "reference"):
        op.execute(statement)
    for table in ERASABLE:
        for statement in erasure_statements(table):
            op.execute(statement)


def downgrade() -> None:
    """Accounts that were closed stay without an owner."""
    op.execute("set local lock_timeout = '5s'")
    for table in ERASABLE:
        op.execute(f"drop policy closed_account on {table}")
    op.drop_table("data_export")
    op.drop_column("account", "kept_until")
    op.drop_column("account", "closed_at")
