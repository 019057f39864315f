"""The words by which records are found."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "search_word",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("word", sa.Text(collation="C"), nullable=False),
        sa.Column("entity_id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "kind", "word", "entity_id", name=op.f("pk_search_word")),
        info={"scope": "append_only"},
    )
    for statement in policy_statements("search_word", "append_only"):
        op.execute(statement)


def downgrade() -> None:
    op.drop_table("search_word")
