"""An account's own certificate keeps whether its holder was said to represent the issuer."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Those of another holder were uploaded as representatives', or have been used as such since."""
    op.execute("set local lock_timeout = '5s'")
    op.add_column("fiscal_certificate", sa.Column("represents", sa.Boolean(), nullable=True))
    op.execute(
        "update fiscal_certificate c set represents = coalesce(c.tax_id <> a.tax_id, false)"
        " from account a where a.id = c.account_id"
    )
    op.alter_column("fiscal_certificate", "represents", nullable=False)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_column("fiscal_certificate", "represents")
