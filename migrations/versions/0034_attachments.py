"""Attachments of documents, and the bytes that they take."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

TABLES = ("attachment", "attachment_usage")


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
    op.create_table(
        "attachment",
        *account_columns(),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("document_kind", sa.Text(), nullable=True),
        sa.Column("document_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("kept_until", sa.Date(), nullable=True),
        sa.CheckConstraint("(document_kind is null) = (document_id is null)", name=op.f("ck_attachment_document")),
        sa.CheckConstraint("(deleted_at is null) = (kept_until is null)", name=op.f("ck_attachment_kept_when_deleted")),
        sa.CheckConstraint("size > 0", name=op.f("ck_attachment_size")),
        sa.CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_attachment_sha256")),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_attachment")),
        info={"scope": "account"},
    )
    op.create_index("ix_attachment_document", "attachment", ["account_id", "document_kind", "document_id", "id"])
    op.create_index("ix_attachment_content", "attachment", ["account_id", "sha256"])
    op.create_index(
        "ix_attachment_unattached",
        "attachment",
        ["account_id", "created_at"],
        postgresql_where=sa.text("document_id is null"),
    )
    op.create_index(
        "ix_attachment_kept",
        "attachment",
        ["account_id", "kept_until"],
        postgresql_where=sa.text("deleted_at is not null"),
    )
    op.create_table(
        "attachment_usage",
        *account_columns(),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_attachment_usage")),
        info={"scope": "account"},
    )
    for table in TABLES:
        for statement in policy_statements(table, "account"):
            op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for table in reversed(TABLES):
        op.drop_table(table)
