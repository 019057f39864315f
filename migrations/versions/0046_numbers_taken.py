"""Columns for taken numbers: the authority's document, the reason for giving up, the record that is replaced."""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

IS_TAKEN = "state = 'rejected' and code = '3000'"
"""Before this version the authority was not asked whose document it holds, so nobody knows whether it is ours."""

STAMPED = "einvoice->>'status' = 'rejected' and einvoice#>>'{errors,0,code}' = '3000'"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("fiscal_status", sa.Column("held", sa.JSON()))
    op.add_column("fiscal_status", sa.Column("burnt", sa.Text()))
    op.add_column("fiscal_record", sa.Column("replaces", sa.Text()))
    op.execute(f"update fiscal_status set code = 'NUMBER_TAKEN' where {IS_TAKEN}")  # noqa: S608 - a constant
    stamp = "jsonb_set(einvoice::jsonb, '{errors,0,code}', '\"NUMBER_TAKEN\"')::json"
    op.execute(f"update invoice set einvoice = {stamp} where {STAMPED}")  # noqa: S608 - constants


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.execute("update fiscal_status set code = '3000' where code = 'NUMBER_TAKEN'")
    op.drop_column("fiscal_record", "replaces")
    op.drop_column("fiscal_status", "burnt")
    op.drop_column("fiscal_status", "held")
