"""Records that are kept instead of sent, and the log of what happened to them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from ledgerkit.core.database.tenancy import policy_statements

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

SCOPES = {
    "fiscal_event_log": "account",
    "fiscal_event": "append_only",
    "fiscal_keeper": "reference",
    "fiscal_demand": "append_only",
    "fiscal_demand_message": "append_only",
    "fiscal_demand_answer": "append_only",
}


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column(
        "fiscal_installation", sa.Column("mode", sa.Text(), server_default=sa.text("'reporting'"), nullable=False)
    )
    op.add_column("fiscal_installation", sa.Column("mode_since", sa.DateTime(timezone=True), nullable=True))
    op.add_column("fiscal_installation", sa.Column("reporting_until", sa.Date(), nullable=True))
    _create_logs()
    _create_demands()
    for table, scope in SCOPES.items():
        for statement in policy_statements(table, scope):
            op.execute(statement)


def downgrade() -> None:
    """Fails for nothing; but what was kept and not sent is then a record like any other that was never sent."""
    op.execute("set local lock_timeout = '5s'")
    op.drop_index("ix_fiscal_demand_answer_message", table_name="fiscal_demand_answer")
    op.drop_index("ix_fiscal_keeper_summed", table_name="fiscal_keeper")
    for table in reversed(SCOPES):
        op.drop_table(table)
    for name in ("reporting_until", "mode_since", "mode"):
        op.drop_column("fiscal_installation", name)


def _create_logs() -> None:
    op.create_table(
        "fiscal_event_log",
        _account_id(),
        *_stamps(),
        sa.Column("installation_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("last_event_id", sa.Uuid(), nullable=True),
        sa.Column("last_code", sa.Text(), nullable=True),
        sa.Column("last_fingerprint", sa.Text(), nullable=True),
        sa.Column("last_generated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("summed_events", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("summed_records", sa.Integer(), server_default=sa.text("0"), nullable=False),
        _key("fiscal_event_log", "installation_id", "fiscal_installation"),
        sa.PrimaryKeyConstraint("account_id", "installation_id", name=op.f("pk_fiscal_event_log")),
        info={"scope": "account"},
    )
    op.create_table(
        "fiscal_event",
        *_row("fiscal_event"),
        sa.Column("installation_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("previous_id", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("generated_at", sa.DateTime(timezone=True), nullable=False),
        _key("fiscal_event", "installation_id", "fiscal_installation"),
        _key("fiscal_event", "previous_id", "fiscal_event"),
        _unique("fiscal_event", "installation_id", "position"),
        _unique("fiscal_event", "installation_id", "previous_id"),
        info={"scope": "append_only"},
    )
    op.create_table(
        "fiscal_keeper",
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("installation_id", sa.Uuid(), nullable=False),
        sa.Column("summed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_fiscal_keeper_account_id")),
        sa.PrimaryKeyConstraint("account_id", "installation_id", name=op.f("pk_fiscal_keeper")),
        info={"scope": "reference"},
    )
    op.create_index("ix_fiscal_keeper_summed", "fiscal_keeper", ["summed_at"])


def _create_demands() -> None:
    op.create_table(
        "fiscal_demand",
        *_row("fiscal_demand"),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("issuer_tax_id", sa.Text(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("until", sa.Date(), nullable=False),
        _unique("fiscal_demand", "environment", "issuer_tax_id", "reference"),
        info={"scope": "append_only"},
    )
    op.create_table(
        "fiscal_demand_message",
        *_row("fiscal_demand_message"),
        sa.Column("demand_id", sa.Uuid(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("records", postgresql.JSON(none_as_null=True), nullable=False),
        sa.Column("request", sa.LargeBinary(), nullable=False),
        _key("fiscal_demand_message", "demand_id", "fiscal_demand"),
        _unique("fiscal_demand_message", "demand_id", "ordinal"),
        info={"scope": "append_only"},
    )
    op.create_table(
        "fiscal_demand_answer",
        *_row("fiscal_demand_answer"),
        sa.Column("message_id", sa.Uuid(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("fault", sa.Text(), nullable=True),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("delivered", sa.Boolean(), nullable=False),
        _key("fiscal_demand_answer", "message_id", "fiscal_demand_message"),
        info={"scope": "append_only"},
    )
    op.create_index("ix_fiscal_demand_answer_message", "fiscal_demand_answer", ["account_id", "message_id", "id"])


def _account_id() -> sa.Column[sa.Uuid]:
    stamp = sa.text("current_setting('ledgerkit.account_id')::uuid")
    return sa.Column("account_id", sa.Uuid(), server_default=stamp, nullable=False)


def _stamps() -> list[sa.Column[object]]:
    return [
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
    ]


def _row(table: str) -> list[sa.schema.SchemaItem]:
    """The first columns of an append-only table, and its key."""
    return [
        _account_id(),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f(f"pk_{table}")),
    ]


def _key(table: str, column: str, of: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["account_id", column], [f"{of}.account_id", f"{of}.id"], name=op.f(f"fk_{table}_account_id_{column}")
    )


def _unique(table: str, *columns: str) -> sa.UniqueConstraint:
    return sa.UniqueConstraint("account_id", *columns, name=op.f(f"uq_{table}_account_id_{'_'.join(columns)}"))
