"""Invitations to a team, and the log of what was mailed."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


SCOPES = {"invitation": "reference", "mail_log": "append_only"}


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "invitation",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=True),
        sa.Column("invited_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_invitation_account_id")),
        sa.ForeignKeyConstraint(["invited_by"], ["app_user.id"], name=op.f("fk_invitation_invited_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitation_token_hash")),
        info={"scope": "reference"},
    )
    op.create_index("ix_invitation_account", "invitation", ["account_id", "created_at"], unique=False)
    op.create_index(
        "ix_invitation_email", "invitation", ["email"], unique=False, postgresql_where=sa.text("state = 'open'")
    )
    op.create_table(
        "mail_log",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("entity_type", sa.Text(), nullable=False),
        sa.Column("entity_id", sa.Uuid(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("transport", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_mail_log")),
        info={"scope": "append_only"},
    )
    op.create_index("ix_mail_log_entity", "mail_log", ["account_id", "entity_type", "entity_id", "id"], unique=False)
    for table, scope in SCOPES.items():
        for statement in policy_statements(table, scope):
            op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index("ix_mail_log_entity", table_name="mail_log")
    op.drop_table("mail_log")
    op.drop_index("ix_invitation_email", table_name="invitation", postgresql_where=sa.text("state = 'open'"))
    op.drop_index("ix_invitation_account", table_name="invitation")
    op.drop_table("invitation")
