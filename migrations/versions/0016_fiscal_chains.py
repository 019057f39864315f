"""The life of a chain: continued, closed, checked."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

OPEN = "uq_fiscal_installation_open"
ONE = "uq_fiscal_installation_account_id_channel_environment_issuer_tax_id"
KEY = ["account_id", "channel", "environment", "issuer_tax_id"]


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for column in _installation_columns():
        op.add_column("fiscal_installation", column)
    op.drop_constraint(op.f(ONE), "fiscal_installation", type_="unique")
    op.create_index(OPEN, "fiscal_installation", KEY, unique=True, postgresql_where=sa.text("closed_at is null"))
    op.add_column("fiscal_record", sa.Column("digest", sa.LargeBinary(), nullable=True))
    op.execute(_DIGEST_WHAT_IS_THERE)
    op.execute(
        "update fiscal_installation i set last_digest = r.digest from fiscal_record r"
        " where r.account_id = i.account_id and r.id = i.last_record_id"
    )
    op.add_column("fiscal_sender", sa.Column("position", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.add_column("fiscal_sender", sa.Column("database_identity", sa.Text(), nullable=True))
    op.execute(
        "update fiscal_sender s set position = i.position from fiscal_installation i"
        " where i.account_id = s.account_id and i.id = s.installation_id"
    )
    op.alter_column("fiscal_record", "digest", nullable=False)


def downgrade() -> None:
    """Fails where an issuer has more than one chain: the table of before cannot hold them."""
    for name in ("database_identity", "position"):
        op.drop_column("fiscal_sender", name)
    op.drop_column("fiscal_record", "digest")
    op.drop_index(OPEN, table_name="fiscal_installation")
    op.create_unique_constraint(op.f(ONE), "fiscal_installation", KEY)
    for column in reversed(_installation_columns()):
        op.drop_column("fiscal_installation", column.name)


def _installation_columns() -> list[sa.Column]:
    return [
        sa.Column("last_digest", sa.LargeBinary(), nullable=True),
        sa.Column("origin_number", sa.Text(), nullable=True),
        sa.Column("origin_issue_date", sa.Date(), nullable=True),
        sa.Column("origin_fingerprint", sa.Text(), nullable=True),
        sa.Column("origin_generated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("database_identity", sa.Text(), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_reason", sa.Text(), nullable=True),
        sa.Column("alarm_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("alarm_position", sa.Integer(), nullable=True),
        sa.Column("alarm_code", sa.Text(), nullable=True),
        sa.Column("alarm_message", sa.Text(), nullable=True),
        sa.Column("last_check", postgresql.JSONB(none_as_null=True), nullable=True),
    ]


_DIGEST_WHAT_IS_THERE = """
with recursive walked as (
    select account_id, id, installation_id, position, sha256(content) as digest from fiscal_record where position = 1
    union all
    select r.account_id, r.id, r.installation_id, r.position, sha256(w.digest || r.content)
    from walked w join fiscal_record r
      on r.account_id = w.account_id and r.installation_id = w.installation_id and r.position = w.position + 1
)
update fiscal_record r set digest = w.digest from walked w where w.account_id = r.account_id and w.id = r.id
"""
