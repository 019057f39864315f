"""Cash registers and their movements."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from ledgerkit.core.database.tenancy import policy_statements

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

SCOPES = {"cash_register": "account", "cash_movement": "append_only", "cash_register_counter": "account"}
OPEN, CLOSED = sa.text("status = 'open'"), sa.text("status = 'closed'")
LINKED = sa.text("invoice_id is not null")


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column(
        "invoice", sa.Column("prices_include_tax", sa.Boolean(), server_default=sa.text("false"), nullable=False)
    )
    op.create_table(
        "cash_register",
        _account_id(),
        sa.Column("id", sa.Uuid(), nullable=False),
        *_stamps(),
        sa.Column("holder", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("user_name", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), server_default=sa.text("'open'"), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("opening_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("sales", sa.Numeric(precision=15, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("refunds", sa.Numeric(precision=15, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("cash_in", sa.Numeric(precision=15, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("cash_out", sa.Numeric(precision=15, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("cash", sa.Numeric(precision=15, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("card", sa.Numeric(precision=15, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("transfer", sa.Numeric(precision=15, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("sales_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("movement_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("expected_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("closing_amount", sa.Numeric(precision=15, scale=2), nullable=True),
        sa.Column("difference", sa.Numeric(precision=15, scale=2), nullable=True),
        sa.Column("closing_notes", sa.Text(), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("z_number", sa.Integer(), nullable=True),
        sa.CheckConstraint("status in ('open', 'closed')", name=op.f("ck_cash_register_status")),
        sa.CheckConstraint(
            "(status = 'closed') = (closed_at is not null and closing_amount is not null"
            " and difference is not null and z_number is not null)",
            name=op.f("ck_cash_register_closed_whole"),
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_cash_register")),
        sa.UniqueConstraint("account_id", "z_number", name=op.f("uq_cash_register_account_id_z_number")),
        info={"scope": "account"},
    )
    op.create_index(
        "uq_cash_register_open", "cash_register", ["account_id", "holder"], unique=True, postgresql_where=OPEN
    )
    op.create_index(
        "ix_cash_register_closed", "cash_register", ["account_id", "closed_at", "id"], postgresql_where=CLOSED
    )
    op.create_index(
        "ix_cash_register_own", "cash_register", ["account_id", "holder", "closed_at", "id"], postgresql_where=CLOSED
    )
    op.create_table(
        "cash_movement",
        _account_id(),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("register_id", sa.Uuid(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("payment_method", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("invoice_id", sa.Uuid(), nullable=True),
        sa.Column("consumer_final", sa.Boolean(), nullable=True),
        sa.Column("line_items", postgresql.JSON(none_as_null=True), nullable=False),
        sa.Column("prices_include_tax", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "register_id"],
            ["cash_register.account_id", "cash_register.id"],
            name=op.f("fk_cash_movement_account_id_register_id"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "invoice_id"],
            ["invoice.account_id", "invoice.id"],
            name=op.f("fk_cash_movement_account_id_invoice_id"),
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_cash_movement")),
        sa.UniqueConstraint(
            "account_id", "register_id", "ordinal", name=op.f("uq_cash_movement_account_id_register_id_ordinal")
        ),
        info={"scope": "append_only"},
    )
    op.create_index("ix_cash_movement_invoice", "cash_movement", ["account_id", "invoice_id"], postgresql_where=LINKED)
    op.create_table(
        "cash_register_counter",
        _account_id(),
        *_stamps(),
        sa.Column("next", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_cash_register_counter")),
        info={"scope": "account"},
    )
    for table, scope in SCOPES.items():
        for statement in policy_statements(table, scope):
            op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_table("cash_register_counter")
    op.drop_index("ix_cash_movement_invoice", table_name="cash_movement", postgresql_where=LINKED)
    op.drop_table("cash_movement")
    op.drop_index("ix_cash_register_own", table_name="cash_register", postgresql_where=CLOSED)
    op.drop_index("ix_cash_register_closed", table_name="cash_register", postgresql_where=CLOSED)
    op.drop_index("uq_cash_register_open", table_name="cash_register", postgresql_where=OPEN)
    op.drop_table("cash_register")
    op.drop_column("invoice", "prices_include_tax")


def _account_id() -> sa.Column[sa.Uuid]:
    stamp = sa.text("current_setting('ledgerkit.account_id')::uuid")
    return sa.Column("account_id", sa.Uuid(), server_default=stamp, nullable=False)


def _stamps() -> list[sa.Column[object]]:
    return [
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
    ]
