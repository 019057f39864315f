"""Numbers that a restored database may have lost: how it stands with them, and those that were lost."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tables import ACCOUNT_SETTING
from ledgerkit.core.database.tenancy import policy_statements

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

_TABLE = "fiscal_lost_number"
_STAMP = sa.text(f"current_setting('{ACCOUNT_SETTING}')::uuid")


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("fiscal_installation", sa.Column("numbers", sa.Text(), nullable=True))
    op.add_column("fiscal_installation", sa.Column("last_sent_number", sa.Text(), nullable=True))
    op.execute(
        "alter table fiscal_installation add constraint ck_fiscal_installation_numbers"
        " check (numbers in ('due', 'asked', 'renamed')) not valid"
    )
    op.execute("alter table fiscal_installation validate constraint ck_fiscal_installation_numbers")
    op.create_table(
        "fiscal_database",
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("known_since", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("identity", name=op.f("pk_fiscal_database")),
        info={"scope": "append_only_reference"},
    )
    for statement in policy_statements("fiscal_database", "append_only_reference"):
        op.execute(statement)
    op.create_table(
        _TABLE,
        sa.Column("account_id", sa.Uuid(), server_default=_STAMP, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("installation_id", sa.Uuid(), nullable=False),
        sa.Column("series", sa.Text(), nullable=False),
        sa.Column("year", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.Column("issue_date", sa.Date(), nullable=True),
        sa.Column("total", sa.Numeric(15, 2), nullable=True),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("fingerprint", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f(f"pk_{_TABLE}")),
        sa.UniqueConstraint(
            "account_id", "series", "year", "ordinal", name=op.f(f"uq_{_TABLE}_account_id_series_year_ordinal")
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "installation_id"],
            ["fiscal_installation.account_id", "fiscal_installation.id"],
            name=op.f(f"fk_{_TABLE}_account_id_installation_id"),
        ),
        info={"scope": "append_only"},
    )
    for statement in policy_statements(_TABLE, "append_only"):
        op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_table(_TABLE)
    op.drop_table("fiscal_database")
    op.drop_constraint("ck_fiscal_installation_numbers", "fiscal_installation")
    op.drop_column("fiscal_installation", "last_sent_number")
    op.drop_column("fiscal_installation", "numbers")
