"""Documents of other software: invoices and purchases that were imported with their numbers and dates."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

TABLES = ("invoice", "supplier_invoice")
ORIGIN = "origin in ('own', 'external')"
NUMBERED = "numbered_with_its_record"
WITHOUT_RECORD = "(unrecorded is null) = (status = 'draft' or einvoice is not null or origin = 'external')"
BEFORE = "(unrecorded is null) = (status = 'draft' or einvoice is not null)"
EXTERNAL = "external_is_issued"
IS_ISSUED = "origin = 'own' or (status <> 'draft' and einvoice is null)"
IN_USE = "origin = 'own' or deleted_at is null"
UNIQUE = (
    ("uq_invoice_account_id_number", ["account_id", "number"]),
    ("uq_invoice_account_id_series_year_ordinal", ["account_id", "series", "year", "ordinal"]),
)


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for table in TABLES:
        origin = sa.Column("origin", sa.Text(), server_default=sa.text("'own'"), nullable=False)
        op.add_column(table, origin)
        op.create_check_constraint(op.f(f"ck_{table}_origin"), table, ORIGIN)
    op.drop_constraint(op.f(f"ck_invoice_{NUMBERED}"), "invoice", type_="check")
    op.create_check_constraint(op.f(f"ck_invoice_{NUMBERED}"), "invoice", WITHOUT_RECORD)
    op.create_check_constraint(op.f(f"ck_invoice_{EXTERNAL}"), "invoice", IS_ISSUED)
    for name, columns in UNIQUE:
        op.drop_constraint(op.f(name), "invoice", type_="unique")
        op.create_index(name, "invoice", columns, unique=True, postgresql_where=sa.text(IN_USE))


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for name, columns in reversed(UNIQUE):
        op.drop_index(name, table_name="invoice")
        op.create_unique_constraint(op.f(name), "invoice", columns)
    op.drop_constraint(op.f(f"ck_invoice_{EXTERNAL}"), "invoice", type_="check")
    op.drop_constraint(op.f(f"ck_invoice_{NUMBERED}"), "invoice", type_="check")
    op.execute("update invoice set unrecorded = 'earlier_version' where origin = 'external'")
    op.create_check_constraint(op.f(f"ck_invoice_{NUMBERED}"), "invoice", BEFORE)
    for table in reversed(TABLES):
        op.drop_constraint(op.f(f"ck_{table}_origin"), table, type_="check")
        op.drop_column(table, "origin")
