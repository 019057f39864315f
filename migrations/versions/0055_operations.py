"""Triangular invoices issued as exempt stay so; higher simplified invoices; the place of a choice of mode."""

import sqlalchemy as sa
from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None

ISSUED_AS_EXEMPT = "update invoice set triangular_exempt = true where triangular and number is not null"

PLACE_OF_THE_CHOICE = """
update fiscal_installation i set mode_position = coalesce((
    select max(r.position) from fiscal_record r where r.account_id = i.account_id and r.installation_id = i.id
        and r.generated_at < date_trunc('second', i.mode_since)), 0)
where i.mode_since is not null
"""
"""Records of the second of the choice count as made after it."""


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for table, name in (("invoice", "triangular_exempt"), ("account", "higher_simplified_limit")):
        op.add_column(table, sa.Column(name, sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.execute(ISSUED_AS_EXEMPT)
    position = sa.Column("mode_position", sa.Integer(), server_default=sa.text("0"), nullable=False)
    op.add_column("fiscal_installation", position)
    op.execute(PLACE_OF_THE_CHOICE)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_column("fiscal_installation", "mode_position")
    op.drop_column("account", "higher_simplified_limit")
    op.drop_column("invoice", "triangular_exempt")
