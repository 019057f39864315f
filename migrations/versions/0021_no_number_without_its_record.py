"""Whether an account reports what it issues, and why an issued document has no record."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

CHECKS = (
    ("unrecorded", "unrecorded in ('chosen', 'no_tax_id', 'no_channel', 'earlier_version')"),
    ("numbered_with_its_record", "(unrecorded is null) = (status = 'draft' or einvoice is not null)"),
)
ACCOUNTS_WITH_RECORDS = (
    "update account set recorded_in = has.environments from ("
    " select account_id, array_agg(distinct environment order by environment) as environments"
    " from fiscal_installation where position > 0 group by account_id"
    ") as has where has.account_id = account.id"
)
ISSUED_WITHOUT_A_RECORD = (
    "update invoice set unrecorded ="
    " case when issuer->>'tax_id' is null then 'no_tax_id' else 'earlier_version' end"
    " where status <> 'draft' and einvoice is null"
)


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("account", sa.Column("einvoicing", sa.Text(), server_default=sa.text("'on'"), nullable=False))
    recorded_in = sa.Column("recorded_in", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'"), nullable=False)
    op.add_column("account", recorded_in)
    op.create_check_constraint(op.f("ck_account_einvoicing"), "account", "einvoicing in ('on', 'off')")
    op.add_column("invoice", sa.Column("unrecorded", sa.Text(), nullable=True))
    op.execute(ACCOUNTS_WITH_RECORDS)
    op.execute(ISSUED_WITHOUT_A_RECORD)
    for name, condition in CHECKS:
        op.create_check_constraint(op.f(f"ck_invoice_{name}"), "invoice", condition)
    op.create_index(
        "ix_invoice_unrecorded",
        "invoice",
        ["account_id", "issued_at"],
        postgresql_where=sa.text("unrecorded is not null"),
    )


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index("ix_invoice_unrecorded", table_name="invoice")
    for name, _ in reversed(CHECKS):
        op.drop_constraint(op.f(f"ck_invoice_{name}"), "invoice", type_="check")
    op.drop_column("invoice", "unrecorded")
    op.drop_constraint(op.f("ck_account_einvoicing"), "account", type_="check")
    op.drop_column("account", "recorded_in")
    op.drop_column("account", "einvoicing")
