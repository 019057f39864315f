"""Tax declarations with their content, and tax profiles."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from ledgerkit.core.database.tenancy import policy_statements

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

TABLES = ("tax_declaration", "tax_declaration_content", "tax_profile")


def account_columns() -> list[sa.Column]:
    stamp = sa.text("current_setting('ledgerkit.account_id')::uuid")
    now = sa.text("now()")
    return [
        sa.Column("account_id", sa.Uuid(), server_default=stamp, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
    ]


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "tax_declaration",
        *account_columns(),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column("year", sa.Integer(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("amendment", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("complementary_of", sa.Uuid(), nullable=True),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("period_end", sa.Date(), nullable=False),
        sa.Column("status", sa.Text(), server_default=sa.text("'draft'"), nullable=False),
        sa.Column("origin", sa.Text(), server_default=sa.text("'generated'"), nullable=False),
        sa.Column("boxes", postgresql.JSON(), nullable=False),
        sa.Column("manual_overrides", postgresql.JSON(), nullable=False),
        sa.Column("effective_boxes", postgresql.JSON(), nullable=False),
        sa.Column("output_vat", sa.Numeric(15, 2), nullable=False),
        sa.Column("input_vat", sa.Numeric(15, 2), nullable=False),
        sa.Column("result", sa.Numeric(15, 2), nullable=False),
        sa.Column("result_kind", sa.Text(), nullable=False),
        sa.Column("declaration_types", postgresql.JSON(), nullable=False),
        sa.Column("declaration_type", sa.Text(), nullable=True),
        sa.Column("iban", sa.Text(), nullable=True),
        sa.Column("amends", postgresql.JSON(), nullable=True),
        sa.Column("invoice_count", sa.Integer(), nullable=False),
        sa.Column("expense_count", sa.Integer(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("warnings", postgresql.JSON(), nullable=False),
        sa.Column("changes", postgresql.JSON(), nullable=False),
        sa.Column("layout_version", sa.Text(), nullable=False),
        sa.Column("due_date", sa.Date(), nullable=True),
        sa.Column("generated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("submitted_by", sa.Uuid(), nullable=True),
        sa.Column("file_name", sa.Text(), nullable=True),
        sa.Column("file_media_type", sa.Text(), nullable=True),
        sa.Column("file_sha256", sa.Text(), nullable=True),
        sa.CheckConstraint("status in ('draft', 'submitted')", name=op.f("ck_tax_declaration_status")),
        sa.CheckConstraint("origin in ('generated', 'external')", name=op.f("ck_tax_declaration_origin")),
        sa.CheckConstraint(
            "(status = 'submitted') = (submitted_at is not null)", name=op.f("ck_tax_declaration_submitted_whole")
        ),
        sa.CheckConstraint(
            "(file_sha256 is not null) = (status = 'submitted' and origin = 'generated')",
            name=op.f("ck_tax_declaration_file_of_submitted"),
        ),
        sa.CheckConstraint("(amendment = 0) = (complementary_of is null)", name=op.f("ck_tax_declaration_amendment")),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_tax_declaration")),
        sa.ForeignKeyConstraint(
            ["account_id", "complementary_of"],
            ["tax_declaration.account_id", "tax_declaration.id"],
            name=op.f("fk_tax_declaration_account_id_complementary_of"),
        ),
        sa.UniqueConstraint(
            "account_id",
            "country",
            "form",
            "year",
            "period",
            "amendment",
            name=op.f("uq_tax_declaration_account_id_country_form_year_period_amendment"),
        ),
        info={"scope": "account"},
    )
    op.create_table(
        "tax_declaration_content",
        *account_columns(),
        sa.Column("declaration_id", sa.Uuid(), nullable=False),
        sa.Column("documents", postgresql.JSON(), nullable=False),
        sa.Column("evidence", postgresql.JSON(), nullable=False),
        sa.Column("records", postgresql.JSON(), nullable=False),
        sa.Column("file", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("account_id", "declaration_id", name=op.f("pk_tax_declaration_content")),
        sa.ForeignKeyConstraint(
            ["account_id", "declaration_id"],
            ["tax_declaration.account_id", "tax_declaration.id"],
            name=op.f("fk_tax_declaration_content_account_id_declaration_id"),
        ),
        info={"scope": "account"},
    )
    op.create_table(
        "tax_profile",
        *account_columns(),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("profile", postgresql.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "country", name=op.f("pk_tax_profile")),
        info={"scope": "account"},
    )
    for table in TABLES:
        for statement in policy_statements(table, "account"):
            op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for table in reversed(TABLES):
        op.drop_table(table)
