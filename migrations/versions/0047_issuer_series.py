"""Series of an issuer: which account gives the numbers of a series under one tax identifier."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

_USED = """
insert into issuer_series (country, tax_id, series, account_id, used_at)
select distinct on (account.country, account.tax_id, counter.series)
    account.country, account.tax_id, counter.series, account.id, now()
from invoice_counter counter join account on account.id = counter.account_id
where account.tax_id is not null and account.tax_id <> ''
order by account.country, account.tax_id, counter.series, account.created_at, account.id
"""
"""The account that was created first holds a series in which several have given numbers."""

_CHOSEN = """
insert into issuer_series (country, tax_id, series, account_id)
select account.country, account.tax_id, coalesce(account.series->>kind.name, kind.prefix), account.id
from account, (values ('invoice', 'F'), ('simplified', 'T'), ('credit_note', 'R')) kind (name, prefix)
where account.tax_id is not null and account.tax_id <> ''
order by account.created_at, account.id, kind.name
on conflict do nothing
"""
"""Series without numbers are held by the first account whose they are."""


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "issuer_series",
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("tax_id", sa.Text(), nullable=False),
        sa.Column("series", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("retired_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_issuer_series_account_id")),
        sa.PrimaryKeyConstraint("country", "tax_id", "series", name=op.f("pk_issuer_series")),
        info={"scope": "reference"},
    )
    op.create_index("ix_issuer_series_account", "issuer_series", ["account_id"])
    for statement in policy_statements("issuer_series", "reference"):
        op.execute(statement)
    op.execute(_USED)
    op.execute(_CHOSEN)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_table("issuer_series")
