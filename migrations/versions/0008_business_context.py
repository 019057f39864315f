"""Business context."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

SCOPES = {"business_context": "account", "context_entry": "account"}


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "business_context",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("summary", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_business_context")),
        info={"scope": "account"},
    )
    op.create_table(
        "context_entry",
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
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("order", sa.Integer(), nullable=False),
        sa.Column("updated_by", sa.Uuid(), nullable=True),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_context_entry")),
        sa.UniqueConstraint("account_id", "key", name=op.f("uq_context_entry_account_id_key")),
        info={"scope": "account"},
    )
    for table, scope in SCOPES.items():
        for statement in policy_statements(table, scope):
            op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_table("context_entry")
    op.drop_table("business_context")
