"""Tasks."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from ledgerkit.core.database.tenancy import policy_statements

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

SCOPES = {"task": "account", "task_board": "account"}
KEPT = sa.text("deleted_at is null")


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_unique_constraint("uq_membership_account_id_id", "membership", ["account_id", "id"])
    op.create_table(
        "task",
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
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("priority", sa.Text(), nullable=False),
        sa.Column("due_date", sa.Date(), nullable=True),
        sa.Column("member_id", sa.Uuid(), nullable=True),
        sa.Column("tags", postgresql.JSON(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("client_id", sa.Uuid(), nullable=True),
        sa.Column("invoice_id", sa.Uuid(), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(completed_at is not null) = (status = 'done')", name=op.f("ck_task_completed_when_done")),
        sa.CheckConstraint("priority in ('low', 'medium', 'high', 'urgent')", name=op.f("ck_task_priority")),
        sa.CheckConstraint(
            "status in ('backlog', 'todo', 'in_progress', 'review', 'done')", name=op.f("ck_task_status")
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "client_id"], ["client.account_id", "client.id"], name=op.f("fk_task_account_id_client_id")
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "invoice_id"],
            ["invoice.account_id", "invoice.id"],
            name=op.f("fk_task_account_id_invoice_id"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "member_id"],
            ["membership.account_id", "membership.id"],
            name=op.f("fk_task_account_id_member_id"),
            ondelete="SET NULL (member_id)",
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_task")),
        info={"scope": "account"},
    )
    op.create_index("ix_task_due", "task", ["account_id", "due_date"], unique=False, postgresql_where=KEPT)
    op.create_index("ix_task_listed", "task", ["account_id", "position", "id"], unique=False, postgresql_where=KEPT)
    op.create_index("ix_task_member", "task", ["account_id", "member_id", "position", "id"], unique=False)
    op.create_index(
        "ix_task_priority", "task", ["account_id", "priority", "position", "id"], unique=False, postgresql_where=KEPT
    )
    op.create_index(
        "ix_task_status", "task", ["account_id", "status", "position", "id"], unique=False, postgresql_where=KEPT
    )
    op.create_table(
        "task_board",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_task_board")),
        info={"scope": "account"},
    )
    for table, scope in SCOPES.items():
        for statement in policy_statements(table, scope):
            op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_table("task_board")
    op.drop_index("ix_task_status", table_name="task", postgresql_where=KEPT)
    op.drop_index("ix_task_priority", table_name="task", postgresql_where=KEPT)
    op.drop_index("ix_task_member", table_name="task")
    op.drop_index("ix_task_listed", table_name="task", postgresql_where=KEPT)
    op.drop_index("ix_task_due", table_name="task", postgresql_where=KEPT)
    op.drop_table("task")
    op.drop_constraint("uq_membership_account_id_id", "membership", type_="unique")
