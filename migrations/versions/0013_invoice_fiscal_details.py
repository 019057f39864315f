"""What an invoice says to the tax authority beyond its amounts."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

COLUMNS = (
    ("correction_method", sa.Text()),
    ("replaced", sa.JSON()),
    ("replaced_goods", sa.JSON()),
    ("substitutes", sa.JSON()),
    ("substituted_by", sa.Uuid()),
    ("third_party", sa.JSON()),
    ("operation_description", sa.Text()),
    ("fiscal_details", sa.JSON()),
)
INDEXES = (
    ("ix_invoice_substituted_by", "substituted_by", "substituted_by is not null"),
    ("ix_invoice_replacing", "booked_on", "replaced is not null"),
)
WITH_TAX = (
    "update invoice set"
    " items = (select coalesce(json_agg(one::jsonb || '{\"tax\": null, \"costBase\": null}'), '[]')"
    " from json_array_elements(items) as one),"
    " tax_breakdown = (select coalesce(json_agg(one::jsonb || '{\"tax\": null, \"costBase\": null}'), '[]')"
    " from json_array_elements(tax_breakdown) as one),"
    " client = client::jsonb || '{\"taxIdKind\": null}'"
)
BY_DIFFERENCES = "update invoice set correction_method = 'differences' where doc_type = 'credit_note'"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for name, kind in COLUMNS:
        op.add_column("invoice", sa.Column(name, kind, nullable=True))
    issued_by = sa.Column("issued_by", sa.Text(), server_default=sa.text("'issuer'"), nullable=False)
    op.add_column("invoice", issued_by)
    op.create_check_constraint(
        op.f("ck_invoice_issued_by"), "invoice", "issued_by in ('issuer', 'recipient', 'third_party')"
    )
    _add_key("invoice", "substituted_by")
    for name, column, where in INDEXES:
        op.create_index(name, "invoice", ["account_id", column], unique=False, postgresql_where=sa.text(where))
    op.add_column("client", sa.Column("tax_id_kind", sa.Text(), nullable=True))
    op.add_column("cash_movement", sa.Column("credit_note_id", sa.Uuid(), nullable=True))
    _add_key("cash_movement", "credit_note_id")
    op.execute(BY_DIFFERENCES)
    op.execute(sa.text(WITH_TAX.replace(":", r"\:")))


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_constraint(op.f("fk_cash_movement_account_id_credit_note_id"), "cash_movement", type_="foreignkey")
    op.drop_column("cash_movement", "credit_note_id")
    op.drop_column("client", "tax_id_kind")
    for name, _, where in reversed(INDEXES):
        op.drop_index(name, table_name="invoice", postgresql_where=sa.text(where))
    op.drop_constraint(op.f("fk_invoice_account_id_substituted_by"), "invoice", type_="foreignkey")
    op.drop_constraint(op.f("ck_invoice_issued_by"), "invoice", type_="check")
    op.drop_column("invoice", "issued_by")
    for name, _ in reversed(COLUMNS):
        op.drop_column("invoice", name)


def _add_key(table: str, column: str) -> None:
    name = op.f(f"fk_{table}_account_id_{column}")
    op.create_foreign_key(name, table, "invoice", ["account_id", column], ["account_id", "id"])
