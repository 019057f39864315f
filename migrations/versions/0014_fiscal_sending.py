"""Everything said to and by an authority about the pace and outcome of sending."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import policy_statements

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

SCOPES = {"fiscal_query": "append_only", "fiscal_query_answer": "append_only", "fiscal_incident": "account"}
OPEN, WATCHED = sa.text("ended_at is null"), sa.text("watch_at is not null")
FALSE, ZERO = sa.text("false"), sa.text("0")

AS_ISSUED = (
    "update fiscal_record r set issuer_name = coalesce(i.issuer->>'company', i.issuer->>'name', a.company, a.name),"
    " operated_on = coalesce(i.operation_date, r.issue_date)"
    " from invoice i join account a on a.id = i.account_id where i.account_id = r.account_id and i.id = r.invoice_id"
)
WHOLE = "update fiscal_submission set runs = json_build_array(json_build_array(first_position, last_position))"
IN_DOUBT = (
    "update fiscal_status s set in_doubt = true where s.state = 'unknown' or (s.state = 'pending' and s.attempts >"
    " (select count(*) from fiscal_outcome o where o.account_id = s.account_id and o.record_id = s.record_id))"
)
WAITING = (
    "update fiscal_sender f set waiting = w.count, waiting_since = w.oldest, watch_at = now() from"
    " (select s.installation_id, count(*), min(r.generated_at) as oldest from fiscal_status s"
    " join fiscal_record r on r.account_id = s.account_id and r.id = s.record_id"
    " where s.state in ('pending', 'unknown') group by 1) w"
    " where f.installation_id = w.installation_id"
)


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    _tables()
    op.add_column("fiscal_record", sa.Column("issuer_name", sa.Text(), nullable=True))
    op.add_column("fiscal_record", sa.Column("operated_on", sa.Date(), nullable=True))
    for column in (
        sa.Column("submission_id", sa.Uuid(), nullable=True),
        sa.Column("in_doubt", sa.Boolean(), server_default=FALSE, nullable=False),
        sa.Column("doubts", sa.Integer(), server_default=ZERO, nullable=False),
        sa.Column("aside_until", sa.DateTime(timezone=True), nullable=True),
    ):
        op.add_column("fiscal_status", column)
    op.add_column("fiscal_submission", sa.Column("runs", sa.JSON(), nullable=True))
    op.add_column("fiscal_submission", sa.Column("repeats_id", sa.Uuid(), nullable=True))
    op.alter_column("fiscal_outcome", "submission_id", nullable=True)
    op.add_column("fiscal_outcome", sa.Column("query_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_fiscal_outcome_account_id_query_id"),
        "fiscal_outcome",
        "fiscal_query",
        ["account_id", "query_id"],
        ["account_id", "id"],
    )
    _sender()
    _fill()
    op.alter_column("fiscal_submission", "runs", nullable=False)
    op.alter_column("fiscal_record", "issuer_name", nullable=False)
    op.alter_column("fiscal_record", "operated_on", nullable=False)
    for table, scope in SCOPES.items():
        for statement in policy_statements(table, scope):
            op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index("ix_fiscal_sender_watch", table_name="fiscal_sender", postgresql_where=WATCHED)
    for column in ("stopped_at", "proven", "suspect_until", "batch_limit", "watch_at", "waiting_since", "waiting"):
        op.drop_column("fiscal_sender", column)
    op.drop_constraint(op.f("fk_fiscal_outcome_account_id_query_id"), "fiscal_outcome", type_="foreignkey")
    op.drop_column("fiscal_outcome", "query_id")
    op.execute("delete from fiscal_outcome where submission_id is null")
    op.alter_column("fiscal_outcome", "submission_id", nullable=False)
    op.drop_column("fiscal_submission", "repeats_id")
    op.drop_column("fiscal_submission", "runs")
    for column in ("aside_until", "doubts", "in_doubt", "submission_id"):
        op.drop_column("fiscal_status", column)
    op.drop_column("fiscal_record", "operated_on")
    op.drop_column("fiscal_record", "issuer_name")
    op.drop_index("ix_fiscal_incident_kind", table_name="fiscal_incident")
    op.drop_index("uq_fiscal_incident_open", table_name="fiscal_incident", postgresql_where=OPEN)
    op.drop_table("fiscal_incident")
    op.drop_table("fiscal_query_answer")
    op.drop_index("ix_fiscal_query_submission", table_name="fiscal_query")
    op.drop_table("fiscal_query")


def _tables() -> None:
    op.create_table(
        "fiscal_query",
        *_keys(),
        sa.Column("installation_id", sa.Uuid(), nullable=False),
        sa.Column("submission_id", sa.Uuid(), nullable=True),
        sa.Column("year", sa.Integer(), nullable=False),
        sa.Column("month", sa.Integer(), nullable=False),
        sa.Column("number", sa.Text(), nullable=True),
        sa.Column("request", sa.LargeBinary(), nullable=False),
        _reference("fiscal_query", "installation_id", "fiscal_installation"),
        _reference("fiscal_query", "submission_id", "fiscal_submission"),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_fiscal_query")),
        info={"scope": "append_only"},
    )
    op.create_index("ix_fiscal_query_submission", "fiscal_query", ["account_id", "submission_id"])
    op.create_table(
        "fiscal_query_answer",
        *_keys(),
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        _reference("fiscal_query_answer", "query_id", "fiscal_query"),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_fiscal_query_answer")),
        info={"scope": "append_only"},
    )
    op.create_table(
        "fiscal_incident",
        *_keys(),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("installation_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("mailed_at", sa.DateTime(timezone=True), nullable=True),
        _reference("fiscal_incident", "installation_id", "fiscal_installation"),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_fiscal_incident")),
        info={"scope": "account"},
    )
    one = ["account_id", "installation_id", "kind"]
    op.create_index("uq_fiscal_incident_open", "fiscal_incident", one, unique=True, postgresql_where=OPEN)
    op.create_index("ix_fiscal_incident_kind", "fiscal_incident", [*one, "id"])


def _sender() -> None:
    for column in (
        sa.Column("waiting", sa.Integer(), server_default=ZERO, nullable=False),
        sa.Column("waiting_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("watch_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("batch_limit", sa.Integer(), nullable=True),
        sa.Column("suspect_until", sa.Integer(), nullable=True),
        sa.Column("proven", sa.Boolean(), server_default=FALSE, nullable=False),
        sa.Column("stopped_at", sa.DateTime(timezone=True), nullable=True),
    ):
        op.add_column("fiscal_sender", column)
    op.create_index("ix_fiscal_sender_watch", "fiscal_sender", ["watch_at"], postgresql_where=WATCHED)


def _fill() -> None:
    """What the records there are say of themselves."""
    for statement in (AS_ISSUED, WHOLE, IN_DOUBT, WAITING):
        op.execute(statement)


def _keys() -> tuple[sa.Column[object], ...]:
    stamp = sa.text("current_setting('ledgerkit.account_id')::uuid")
    return (
        sa.Column("account_id", sa.Uuid(), server_default=stamp, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
    )


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_account_id_{column}")
    return sa.ForeignKeyConstraint(["account_id", column], [f"{target}.account_id", f"{target}.id"], name=name)
