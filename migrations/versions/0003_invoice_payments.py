"""Payments of an invoice in parts."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BOOKED_ON = "case when doc_type = 'credit_note' then issue_date else coalesce(operation_date, issue_date) end"
PAID_BEFORE = (
    "insert into invoice_payment (account_id, id, invoice_id, amount, paid_at, created_by, channel)"
    " select account_id, gen_random_uuid(), id, amount_paid, paid_at, null, channel from invoice"
    " where amount_paid <> 0 and paid_at is not null"
)


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "invoice_payment",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("invoice_id", sa.Uuid(), nullable=False),
        sa.Column("amount", sa.Numeric(15, 2), nullable=False),
        sa.Column("method", sa.Text(), nullable=True),
        sa.Column("paid_at", sa.Date(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.CheckConstraint("amount <> 0", name=op.f("ck_invoice_payment_some_amount")),
        sa.ForeignKeyConstraint(
            ["account_id", "invoice_id"],
            ["invoice.account_id", "invoice.id"],
            name=op.f("fk_invoice_payment_account_id_invoice_id"),
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_invoice_payment")),
        info={"scope": "account"},
    )
    op.create_index("ix_invoice_payment_invoice", "invoice_payment", ["account_id", "invoice_id", "id"], unique=False)
    op.create_index("ix_invoice_payment_paid_at", "invoice_payment", ["account_id", "paid_at"], unique=False)
    op.add_column("invoice", sa.Column("booked_on", sa.Date(), sa.Computed(BOOKED_ON, persisted=True), nullable=True))
    op.create_index(
        "ix_invoice_booked",
        "invoice",
        ["account_id", "booked_on"],
        unique=False,
        postgresql_where=sa.text("status <> 'draft'"),
    )
    for statement in policy_statements("invoice_payment", "account"):
        op.execute(statement)
    op.execute(PAID_BEFORE)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index("ix_invoice_booked", table_name="invoice", postgresql_where=sa.text("status <> 'draft'"))
    op.drop_column("invoice", "booked_on")
    op.drop_index("ix_invoice_payment_paid_at", table_name="invoice_payment")
    op.drop_index("ix_invoice_payment_invoice", table_name="invoice_payment")
    op.drop_table("invoice_payment")
