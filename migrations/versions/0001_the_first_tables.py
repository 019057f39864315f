"""The first tables."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from ledgerkit.core.database.tenancy import policy_statements

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


SCOPES = {
    "account": "reference",
    "activity": "append_only",
    "ai_balance": "account",
    "api_key": "reference",
    "client": "account",
    "fiscal_installation": "account",
    "idempotency_key": "account",
    "invoice_counter": "account",
    "job": "reference",
    "job_schedule": "reference",
    "tally": "account",
    "app_user": "reference",
    "fiscal_sender": "reference",
    "fiscal_submission": "append_only",
    "invoice": "account",
    "share_link": "reference",
    "fiscal_answer": "append_only",
    "fiscal_record": "append_only",
    "membership": "reference",
    "revoked_login": "reference",
    "fiscal_outcome": "append_only",
    "fiscal_status": "account",
}


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "account",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("company", sa.Text(), nullable=True),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("tax_id", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("postal_code", sa.Text(), nullable=True),
        sa.Column("city", sa.Text(), nullable=True),
        sa.Column("province", sa.Text(), nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("iban", sa.Text(), nullable=True),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("default_tax_rate", sa.Numeric(precision=6, scale=3), nullable=True),
        sa.Column("default_retention_rate", sa.Numeric(precision=6, scale=3), nullable=True),
        sa.Column("payment_term_days", sa.Integer(), server_default=sa.text("30"), nullable=False),
        sa.Column(
            "series",
            postgresql.JSONB(none_as_null=True, astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column("logo", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        info={"scope": "reference"},
    )
    op.create_table(
        "activity",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("user_name", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("entity_type", sa.Text(), nullable=False),
        sa.Column("entity_id", sa.Uuid(), nullable=False),
        sa.Column("entity_label", sa.Text(), nullable=True),
        sa.Column(
            "changes",
            postgresql.JSONB(none_as_null=True, astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("key_prefix", sa.Text(), nullable=True),
        sa.Column("source_message_id", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_activity")),
        info={"scope": "append_only"},
    )
    op.create_index("ix_activity_entity", "activity", ["account_id", "entity_type", "entity_id", "id"], unique=False)
    op.create_table(
        "ai_balance",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("used", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("purchased", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_ai_balance")),
        info={"scope": "account"},
    )
    op.create_table(
        "api_key",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_key")),
        sa.UniqueConstraint("kind", "owner_id", name=op.f("uq_api_key_kind_owner_id")),
        info={"scope": "reference"},
    )
    op.create_table(
        "client",
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
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tax_id", sa.Text(), nullable=True),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("city", sa.Text(), nullable=True),
        sa.Column("province", sa.Text(), nullable=True),
        sa.Column("postal_code", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("contact_name", sa.Text(), nullable=True),
        sa.Column("first_name", sa.Text(), nullable=True),
        sa.Column("surnames", sa.Text(), nullable=True),
        sa.Column("dir3", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("equivalence_surcharge", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("default_tax_rate", sa.Numeric(precision=6, scale=3), nullable=True),
        sa.Column("default_retention_rate", sa.Numeric(precision=6, scale=3), nullable=True),
        sa.Column("payment_term_days", sa.Integer(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("is_company", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("warnings", postgresql.JSON(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_client")),
        info={"scope": "account"},
    )
    op.create_index(
        "ix_client_name",
        "client",
        ["account_id", "name_key", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at is null"),
    )
    op.create_index(
        "ix_client_tax_id",
        "client",
        ["account_id", "tax_id"],
        unique=False,
        postgresql_where=sa.text("deleted_at is null"),
    )
    op.create_table(
        "fiscal_installation",
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
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("issuer_tax_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("last_record_id", sa.Uuid(), nullable=True),
        sa.Column("last_number", sa.Text(), nullable=True),
        sa.Column("last_issue_date", sa.Date(), nullable=True),
        sa.Column("last_fingerprint", sa.Text(), nullable=True),
        sa.Column("last_generated_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_fiscal_installation")),
        sa.UniqueConstraint(
            "account_id",
            "channel",
            "environment",
            "issuer_tax_id",
            name=op.f("uq_fiscal_installation_account_id_channel_environment_issuer_tax_id"),
        ),
        info={"scope": "account"},
    )
    op.create_table(
        "idempotency_key",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("answer", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("refusal", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("account_id", "key", name=op.f("pk_idempotency_key")),
        info={"scope": "account"},
    )
    op.create_table(
        "invoice_counter",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("series", sa.Text(), nullable=False),
        sa.Column("year", sa.Integer(), nullable=False),
        sa.Column("next", sa.Integer(), nullable=False),
        sa.Column("last_date", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "series", "year", name=op.f("pk_invoice_counter")),
        info={"scope": "account"},
    )
    op.create_table(
        "job",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("payload", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("dedupe_key", sa.Text(), nullable=True),
        sa.Column("order_key", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("worker", sa.Uuid(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        info={"scope": "reference"},
    )
    op.create_index("ix_job_due_at", "job", ["due_at"], unique=False, postgresql_where=sa.text("failed_at is null"))
    op.create_index(
        "ix_job_order_key", "job", ["order_key", "id"], unique=False, postgresql_where=sa.text("failed_at is null")
    )
    op.create_index("uq_job_seat", "job", ["order_key"], unique=True, postgresql_where=sa.text("worker is not null"))
    op.create_index(
        "uq_job_waiting",
        "job",
        ["name", "dedupe_key"],
        unique=True,
        postgresql_where=sa.text("worker is null and failed_at is null"),
    )
    op.create_table(
        "job_schedule",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("expression", sa.Text(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_job_schedule")),
        info={"scope": "reference"},
    )
    op.create_table(
        "tally",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("bucket", sa.SmallInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "kind", "bucket", name=op.f("pk_tally")),
        info={"scope": "account"},
    )
    op.create_table(
        "app_user",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("locale", sa.Text(), nullable=False),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("active_account_id", sa.Uuid(), nullable=False),
        sa.Column("token_version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("registration_key", sa.Text(), nullable=True),
        sa.Column("registration_body", sa.Text(), nullable=True),
        sa.Column("email_verified", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["active_account_id"], ["account.id"], name=op.f("fk_app_user_active_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_app_user")),
        sa.UniqueConstraint("email", name=op.f("uq_app_user_email")),
        info={"scope": "reference"},
    )
    op.create_table(
        "revoked_login",
        sa.Column("jti", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("jti", name=op.f("pk_revoked_login")),
        info={"scope": "reference"},
    )
    op.create_table(
        "fiscal_sender",
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("installation_id", sa.Uuid(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("allowed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("wait_seconds", sa.Integer(), server_default=sa.text("60"), nullable=False),
        sa.Column("failures", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_holder", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_fiscal_sender_account_id")),
        sa.PrimaryKeyConstraint("account_id", "installation_id", name=op.f("pk_fiscal_sender")),
        info={"scope": "reference"},
    )
    op.create_index(
        "ix_fiscal_sender_due",
        "fiscal_sender",
        ["due_at"],
        unique=False,
        postgresql_where=sa.text("due_at is not null"),
    )
    op.create_table(
        "fiscal_submission",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("installation_id", sa.Uuid(), nullable=False),
        sa.Column("first_position", sa.Integer(), nullable=False),
        sa.Column("last_position", sa.Integer(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("request", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "installation_id"],
            ["fiscal_installation.account_id", "fiscal_installation.id"],
            name=op.f("fk_fiscal_submission_account_id_installation_id"),
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_fiscal_submission")),
        info={"scope": "append_only"},
    )
    op.create_index(
        "ix_fiscal_submission_positions",
        "fiscal_submission",
        ["account_id", "installation_id", "first_position"],
        unique=False,
    )
    op.create_table(
        "invoice",
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
        sa.Column("doc_type", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("series", sa.Text(), nullable=False),
        sa.Column("year", sa.Integer(), nullable=True),
        sa.Column("ordinal", sa.Integer(), nullable=True),
        sa.Column("number", sa.Text(), nullable=True),
        sa.Column("client_id", sa.Uuid(), nullable=True),
        sa.Column("client", postgresql.JSON(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("issuer", postgresql.JSON(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("items", postgresql.JSON(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("tax_rate", sa.Numeric(precision=6, scale=3), nullable=False),
        sa.Column("retention_rate", sa.Numeric(precision=6, scale=3), nullable=False),
        sa.Column("subtotal", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("tax_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("surcharge_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("retention_amount", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("total", sa.Numeric(precision=15, scale=2), nullable=False),
        sa.Column("amount_paid", sa.Numeric(precision=15, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("credited", sa.Numeric(precision=15, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("tax_breakdown", postgresql.JSON(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("rounding", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("issue_date", sa.Date(), nullable=False),
        sa.Column("operation_date", sa.Date(), nullable=True),
        sa.Column("due_date", sa.Date(), nullable=False),
        sa.Column("paid_at", sa.Date(), nullable=True),
        sa.Column("issued_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("terms", sa.Text(), nullable=True),
        sa.Column("buyer_reference", sa.Text(), nullable=True),
        sa.Column("purchase_order", sa.Text(), nullable=True),
        sa.Column("place_of_supply", sa.Text(), nullable=True),
        sa.Column("payment_method", sa.Text(), nullable=True),
        sa.Column("iban", sa.Text(), nullable=True),
        sa.Column("rectifies", sa.Uuid(), nullable=True),
        sa.Column("correction_reason", sa.Text(), nullable=True),
        sa.Column("share_token", sa.Text(), nullable=True),
        sa.Column("einvoice", postgresql.JSON(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(number is null) = (status = 'draft')", name=op.f("ck_invoice_numbered_when_issued")),
        sa.CheckConstraint("status in ('draft', 'sent', 'paid')", name=op.f("ck_invoice_status")),
        sa.ForeignKeyConstraint(
            ["account_id", "client_id"],
            ["client.account_id", "client.id"],
            name=op.f("fk_invoice_account_id_client_id"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "rectifies"],
            ["invoice.account_id", "invoice.id"],
            name=op.f("fk_invoice_account_id_rectifies"),
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_invoice")),
        sa.UniqueConstraint("account_id", "number", name=op.f("uq_invoice_account_id_number")),
        sa.UniqueConstraint(
            "account_id", "series", "year", "ordinal", name=op.f("uq_invoice_account_id_series_year_ordinal")
        ),
        info={"scope": "account"},
    )
    op.create_index("ix_invoice_client", "invoice", ["account_id", "client_id", "issue_date"], unique=False)
    op.create_index(
        "ix_invoice_due",
        "invoice",
        ["account_id", "due_date"],
        unique=False,
        postgresql_where=sa.text("status = 'sent' and deleted_at is null and amount_paid + credited < total"),
    )
    op.create_index(
        "ix_invoice_listed",
        "invoice",
        ["account_id", "issue_date", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at is null"),
    )
    op.create_index(
        "ix_invoice_rectifies",
        "invoice",
        ["account_id", "rectifies"],
        unique=False,
        postgresql_where=sa.text("rectifies is not null"),
    )
    op.create_index(
        "ix_invoice_status",
        "invoice",
        ["account_id", "status", "issue_date", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at is null"),
    )
    op.create_table(
        "share_link",
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("invoice_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_share_link_account_id")),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_share_link")),
        sa.UniqueConstraint("account_id", "invoice_id", name=op.f("uq_share_link_account_id_invoice_id")),
        info={"scope": "reference"},
    )
    op.create_table(
        "fiscal_answer",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("submission_id", sa.Uuid(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("fault", sa.Text(), nullable=True),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id", "submission_id"],
            ["fiscal_submission.account_id", "fiscal_submission.id"],
            name=op.f("fk_fiscal_answer_account_id_submission_id"),
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_fiscal_answer")),
        info={"scope": "append_only"},
    )
    op.create_table(
        "fiscal_record",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("installation_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("previous_id", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("invoice_id", sa.Uuid(), nullable=False),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("channel_version", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("fiscal_id", sa.Text(), nullable=False),
        sa.Column("issuer_tax_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("issue_date", sa.Date(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("qr_url", sa.Text(), nullable=True),
        sa.Column("generated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "installation_id"],
            ["fiscal_installation.account_id", "fiscal_installation.id"],
            name=op.f("fk_fiscal_record_account_id_installation_id"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "invoice_id"],
            ["invoice.account_id", "invoice.id"],
            name=op.f("fk_fiscal_record_account_id_invoice_id"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "previous_id"],
            ["fiscal_record.account_id", "fiscal_record.id"],
            name=op.f("fk_fiscal_record_account_id_previous_id"),
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_fiscal_record")),
        sa.UniqueConstraint(
            "account_id",
            "installation_id",
            "position",
            name=op.f("uq_fiscal_record_account_id_installation_id_position"),
        ),
        sa.UniqueConstraint(
            "account_id",
            "installation_id",
            "previous_id",
            name=op.f("uq_fiscal_record_account_id_installation_id_previous_id"),
        ),
        info={"scope": "append_only"},
    )
    op.create_index("ix_fiscal_record_invoice", "fiscal_record", ["account_id", "invoice_id", "id"], unique=False)
    op.create_table(
        "membership",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("invited_by", sa.Uuid(), nullable=True),
        sa.Column("joined_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("last_active_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_membership_account_id")),
        sa.ForeignKeyConstraint(["invited_by"], ["app_user.id"], name=op.f("fk_membership_invited_by")),
        sa.ForeignKeyConstraint(["user_id"], ["app_user.id"], name=op.f("fk_membership_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_membership")),
        sa.UniqueConstraint("account_id", "user_id", name=op.f("uq_membership_account_id_user_id")),
        info={"scope": "reference"},
    )
    op.create_index("ix_membership_user", "membership", ["user_id"], unique=False)
    op.create_index(
        "uq_membership_owner", "membership", ["account_id"], unique=True, postgresql_where=sa.text("role = 'owner'")
    )
    op.create_table(
        "fiscal_outcome",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("record_id", sa.Uuid(), nullable=False),
        sa.Column("submission_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id", "record_id"],
            ["fiscal_record.account_id", "fiscal_record.id"],
            name=op.f("fk_fiscal_outcome_account_id_record_id"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "submission_id"],
            ["fiscal_submission.account_id", "fiscal_submission.id"],
            name=op.f("fk_fiscal_outcome_account_id_submission_id"),
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_fiscal_outcome")),
        info={"scope": "append_only"},
    )
    op.create_index("ix_fiscal_outcome_record", "fiscal_outcome", ["account_id", "record_id", "id"], unique=False)
    op.create_table(
        "fiscal_status",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("record_id", sa.Uuid(), nullable=False),
        sa.Column("installation_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "record_id"],
            ["fiscal_record.account_id", "fiscal_record.id"],
            name=op.f("fk_fiscal_status_account_id_record_id"),
        ),
        sa.PrimaryKeyConstraint("account_id", "record_id", name=op.f("pk_fiscal_status")),
        info={"scope": "account"},
    )
    op.create_index(
        "ix_fiscal_status_open",
        "fiscal_status",
        ["account_id", "installation_id", "position"],
        unique=False,
        postgresql_where=sa.text("state in ('pending', 'unknown')"),
    )
    for table, scope in SCOPES.items():
        for statement in policy_statements(table, scope):
            op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index(
        "ix_fiscal_status_open", table_name="fiscal_status", postgresql_where=sa.text("state in ('pending', 'unknown')")
    )
    op.drop_table("fiscal_status")
    op.drop_index("ix_fiscal_outcome_record", table_name="fiscal_outcome")
    op.drop_table("fiscal_outcome")
    op.drop_index("uq_membership_owner", table_name="membership", postgresql_where=sa.text("role = 'owner'"))
    op.drop_index("ix_membership_user", table_name="membership")
    op.drop_table("membership")
    op.drop_index("ix_fiscal_record_invoice", table_name="fiscal_record")
    op.drop_table("fiscal_record")
    op.drop_table("fiscal_answer")
    op.drop_table("share_link")
    op.drop_index("ix_invoice_status", table_name="invoice", postgresql_where=sa.text("deleted_at is null"))
    op.drop_index("ix_invoice_rectifies", table_name="invoice", postgresql_where=sa.text("rectifies is not null"))
    op.drop_index("ix_invoice_listed", table_name="invoice", postgresql_where=sa.text("deleted_at is null"))
    op.drop_index(
        "ix_invoice_due",
        table_name="invoice",
        postgresql_where=sa.text("status = 'sent' and deleted_at is null and amount_paid + credited < total"),
    )
    op.drop_index("ix_invoice_client", table_name="invoice")
    op.drop_table("invoice")
    op.drop_index("ix_fiscal_submission_positions", table_name="fiscal_submission")
    op.drop_table("fiscal_submission")
    op.drop_index("ix_fiscal_sender_due", table_name="fiscal_sender", postgresql_where=sa.text("due_at is not null"))
    op.drop_table("fiscal_sender")
    op.drop_table("revoked_login")
    op.drop_table("app_user")
    op.drop_table("tally")
    op.drop_table("job_schedule")
    op.drop_index("uq_job_waiting", table_name="job", postgresql_where=sa.text("worker is null and failed_at is null"))
    op.drop_index("uq_job_seat", table_name="job", postgresql_where=sa.text("worker is not null"))
    op.drop_index("ix_job_order_key", table_name="job", postgresql_where=sa.text("failed_at is null"))
    op.drop_index("ix_job_due_at", table_name="job", postgresql_where=sa.text("failed_at is null"))
    op.drop_table("job")
    op.drop_table("invoice_counter")
    op.drop_table("idempotency_key")
    op.drop_table("fiscal_installation")
    op.drop_index("ix_client_tax_id", table_name="client", postgresql_where=sa.text("deleted_at is null"))
    op.drop_index("ix_client_name", table_name="client", postgresql_where=sa.text("deleted_at is null"))
    op.drop_table("client")
    op.drop_table("api_key")
    op.drop_table("ai_balance")
    op.drop_index("ix_activity_entity", table_name="activity")
    op.drop_table("activity")
    op.drop_table("account")
