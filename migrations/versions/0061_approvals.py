"""Proposals, which a person approves; the digests of used confirmations are not needed any more."""

from alembic import op

revision = "0061"
down_revision = "0060"

TABLES = """
create table approval (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, operation text not null, permission text not null, arguments json not null,
    title text not null, summary json not null, language text not null, preview json not null, versions json not null,
    digest text not null, risk text, note text, status text not null, channel text not null, tool text,
    proposed_by uuid, proposed_by_name text not null, proposed_by_client text, proposed_with text, token_hash text,
    expires_at timestamptz not null, decided_by uuid, decided_by_name text, decided_with text, decided_via text,
    key text, decided_at timestamptz, reason text, result_type text, result_id text, problem json,
    constraint pk_approval primary key (account_id, id),
    constraint ck_approval_decided check ((decided_at is null) = (status in ('pending', 'superseded'))),
    constraint ck_approval_risk check (risk in ('outward', 'irreversible', 'money', 'access')),
    constraint ck_approval_status
        check (status in ('pending', 'approved', 'rejected', 'superseded', 'done', 'failed'))
);
create table approval_policy (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, connection text not null, asked text not null, up_to numeric(15, 2),
    known_clients boolean not null,
    constraint pk_approval_policy primary key (account_id, connection),
    constraint ck_approval_policy_asked check (asked in ('host', 'app', 'limits')),
    constraint ck_approval_policy_limits check ((asked = 'limits') = (up_to is not null))
);
create index ix_approval_pending on approval (account_id, id) where status = 'pending';
create index ix_approval_token on approval (account_id, token_hash) where token_hash is not null;
"""
OWN = "account_id = current_setting('ledgerkit.account_id')::uuid"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for statement in TABLES.strip().removesuffix(";").split(";\n"):
        op.execute(statement)
    for table in ("approval", "approval_policy"):
        op.execute(f"alter table {table} enable row level security")
        op.execute(f"create policy own_account on {table} using ({OWN}) with check ({OWN})")
    op.execute("drop table used_confirmation")
