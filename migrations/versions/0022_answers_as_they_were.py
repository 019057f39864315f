"""Answers are replayed as they were; an invoice whose correction was refused shows what the authority holds of it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

WHAT_IS_HELD = """
with stands as (
    select distinct on (r.account_id, r.invoice_id) r.*, s.state, s.code, s.message, s.reference, s.submitted_at
    from fiscal_record r join fiscal_status s on s.account_id = r.account_id and s.record_id = r.id
    where s.state <> 'rejected' order by r.account_id, r.invoice_id, r.id desc
)
update invoice i set einvoice = (i.einvoice::jsonb || jsonb_build_object(
    'id', t.id, 'kind', t.kind, 'corrects', t.corrects_id, 'qrUrl', t.qr_url, 'hash', t.fingerprint, 'csv', t.reference,
    'status', case when t.kind = 'annul' then 'annulled' else t.state end,
    'issuedAt', to_char(t.generated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'submittedAt', to_char(t.submitted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'errors', case when t.code is null then '[]' else jsonb_build_array(jsonb_build_object(
        'code', t.code, 'message', coalesce(t.message, ''), 'cause', null, 'remedy', null)) end,
    'refused', jsonb_build_object('record', i.einvoice->>'id', 'kind', i.einvoice->>'kind',
        'issuedAt', i.einvoice->>'issuedAt', 'errors', (i.einvoice->'errors')::jsonb)
))::json
from stands t
where t.account_id = i.account_id and t.invoice_id = i.id
  and i.einvoice->>'status' = 'rejected' and i.fiscal_standing in ('held', 'annulled')
"""


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    _store_answers_as(sa.JSON(), "json")
    op.get_bind().exec_driver_sql(WHAT_IS_HELD)


def downgrade() -> None:
    """What is held stays where it was put: an earlier version shows it as well."""
    op.execute("set local lock_timeout = '5s'")
    _store_answers_as(postgresql.JSONB(none_as_null=True), "jsonb")


def _store_answers_as(kind: sa.types.TypeEngine[object], name: str) -> None:
    for column in ("answer", "refusal"):
        op.alter_column("idempotency_key", column, type_=kind, postgresql_using=f"{column}::{name}")
