"""The issuers' own certificates, encrypted, and what was declared of this software."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

SCOPES = {"fiscal_certificate": "account", "fiscal_declaration": "append_only_reference"}


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    stamp = sa.text("current_setting('ledgerkit.account_id')::uuid")
    op.create_table(
        "fiscal_certificate",
        sa.Column("account_id", sa.Uuid(), server_default=stamp, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("tax_id", sa.Text(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("serial", sa.Text(), nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.Column("valid_to", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seal", sa.Boolean(), nullable=False),
        sa.Column("signs", sa.Boolean(), nullable=False),
        sa.Column("warned_days", sa.Integer(), nullable=True),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("user_name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_fiscal_certificate")),
        sa.UniqueConstraint("account_id", name=op.f("uq_fiscal_certificate_account_id")),
        info={"scope": "account"},
    )
    op.create_table(
        "fiscal_declaration",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("rendered_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("channel", "version", "digest", name=op.f("pk_fiscal_declaration")),
        info={"scope": "append_only_reference"},
    )
    for table, scope in SCOPES.items():
        for statement in policy_statements(table, scope):
            op.execute(statement)


def downgrade() -> None:
    op.drop_table("fiscal_declaration")
    op.drop_table("fiscal_certificate")
