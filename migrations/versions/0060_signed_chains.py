"""The table of chains in the signed mode is called so."""

from alembic import op

revision = "0060"
down_revision = "0059"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.execute("alter table fiscal_keeper rename to fiscal_signed_chain")
    op.execute("alter index ix_fiscal_keeper_summed rename to ix_fiscal_signed_chain_summed")
    for key in ("pk_fiscal_{}", "fk_fiscal_{}_account_id"):
        old, new = key.format("keeper"), key.format("signed_chain")
        op.execute(f"alter table fiscal_signed_chain rename constraint {old} to {new}")
