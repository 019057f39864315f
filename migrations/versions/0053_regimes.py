"""Regimes under which an account reports, by the first day of each; documents that a regime leaves without a record."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None

OLD = "unrecorded in ('chosen', 'no_tax_id', 'no_channel', 'earlier_version')"
NEW = "unrecorded in ('chosen', 'no_tax_id', 'no_channel', 'regime', 'earlier_version')"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    regimes = sa.Column("regimes", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False)
    op.add_column("account", regimes)
    _check(NEW)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.execute("update invoice set unrecorded = 'chosen' where unrecorded = 'regime'")
    _check(OLD)
    op.drop_column("account", "regimes")


def _check(condition: str) -> None:
    op.drop_constraint(op.f("ck_invoice_unrecorded"), "invoice", type_="check")
    op.create_check_constraint(op.f("ck_invoice_unrecorded"), "invoice", condition)
