"""Records that correct or strike out earlier ones."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

STANDINGS = "fiscal_standing in ('open', 'refused', 'held', 'annulling', 'annulled', 'reactivating')"
STANDING_BEFORE = (
    "update invoice set fiscal_standing = case einvoice->>'status' when 'rejected' then 'refused'"
    " when 'pending' then 'open' when 'unknown' then 'open' else 'held' end where einvoice is not null"
)


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("invoice", sa.Column("fiscal_standing", sa.Text()))
    op.execute(STANDING_BEFORE)
    op.create_check_constraint(op.f("ck_invoice_fiscal_standing"), "invoice", STANDINGS)
    op.create_check_constraint(
        op.f("ck_invoice_standing_when_emitted"), "invoice", "(fiscal_standing is null) = (einvoice is null)"
    )
    op.add_column("fiscal_record", sa.Column("corrects_id", sa.Uuid()))
    op.add_column("fiscal_record", sa.Column("reason", sa.Text()))
    op.add_column("fiscal_record", sa.Column("told", sa.Text()))
    op.add_column("fiscal_record", sa.Column("flags", sa.JSON()))
    op.create_foreign_key(
        op.f("fk_fiscal_record_account_id_corrects_id"),
        "fiscal_record",
        "fiscal_record",
        ["account_id", "corrects_id"],
        ["account_id", "id"],
    )
    op.create_index("ix_fiscal_record_fiscal_id", "fiscal_record", ["account_id", "fiscal_id", "id"])


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index("ix_fiscal_record_fiscal_id", table_name="fiscal_record")
    op.drop_constraint(op.f("fk_fiscal_record_account_id_corrects_id"), "fiscal_record", type_="foreignkey")
    for column in ("corrects_id", "reason", "told", "flags"):
        op.drop_column("fiscal_record", column)
    op.drop_constraint(op.f("ck_invoice_standing_when_emitted"), "invoice", type_="check")
    op.drop_constraint(op.f("ck_invoice_fiscal_standing"), "invoice", type_="check")
    op.drop_column("invoice", "fiscal_standing")
