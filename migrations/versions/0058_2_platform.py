"""What every domain stands on: requests, jobs, search, activity, mail, AI actions, attachments and exports."""

from alembic import op

revision = "0058_2"
down_revision = "0058_1"

TABLES = """
create table idempotency_key (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, key text not null, operation text not null, fingerprint text not null,
    answer json, refusal json, finished_at timestamptz, process integer,
    constraint pk_idempotency_key primary key (account_id, key)
);

create table used_confirmation (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, token_hash text not null,
    constraint pk_used_confirmation primary key (account_id, token_hash)
);

create table job (
    id uuid not null, name text not null, payload jsonb not null, dedupe_key text, order_key text,
    attempts integer default 0 not null, due_at timestamptz default now() not null, worker uuid, error text,
    failed_at timestamptz, created_at timestamptz default now() not null,
    constraint pk_job primary key (id)
);
create index ix_job_due_at on job (due_at) where failed_at is null;
create index ix_job_order_key on job (order_key, id) where failed_at is null;
create unique index uq_job_seat on job (order_key) where worker is not null;
create unique index uq_job_waiting on job (name, dedupe_key) where worker is null and failed_at is null;

create table job_schedule (
    name text not null, expression text not null, next_at timestamptz not null,
    constraint pk_job_schedule primary key (name)
);

create table search_word (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, kind text not null, word text collate "C" not null,
    entity_id uuid not null,
    constraint pk_search_word primary key (account_id, kind, word, entity_id)
);

create table tally (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, kind text not null, bucket smallint not null, count bigint not null,
    constraint pk_tally primary key (account_id, kind, bucket)
);

create table activity (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, user_id uuid, user_name text not null, action text not null,
    entity_type text not null, entity_id uuid not null, entity_label text, changes jsonb default '{}' not null,
    channel text not null, key_prefix text, source_message_id text, client text, tool text,
    constraint pk_activity primary key (account_id, id)
);
create index ix_activity_entity on activity (account_id, entity_type, entity_id, id);

create table mail_log (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, kind text not null, entity_type text not null,
    entity_id uuid not null, recipient text not null, subject text not null, message_id text, transport text not null,
    outcome text not null, reply text not null, user_id uuid,
    constraint pk_mail_log primary key (account_id, id)
);
create index ix_mail_log_entity on mail_log (account_id, entity_type, entity_id, id);

create table mail_count (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, day date not null, mails integer not null,
    constraint pk_mail_count primary key (account_id, id),
    constraint uq_mail_count_account_id unique (account_id)
);

create table ai_action (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, kind text not null, status text not null, paid_by text not null,
    month date not null, user_id uuid, channel text not null, engine text, expires_at timestamptz not null,
    ended_at timestamptz,
    constraint pk_ai_action primary key (account_id, id),
    constraint ck_ai_action_ended check ((status = 'reserved') = (ended_at is null)),
    constraint ck_ai_action_paid_by check (paid_by in ('free', 'pack')),
    constraint ck_ai_action_status check (status in ('reserved', 'charged', 'released'))
);
create index ix_ai_action_month on ai_action (account_id, month);
create index ix_ai_action_reserved on ai_action (account_id, expires_at) where status = 'reserved';

create table ai_balance (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, month date not null, used integer default 0 not null,
    purchased integer default 0 not null,
    constraint pk_ai_balance primary key (account_id),
    constraint ck_ai_balance_not_negative check (used >= 0 and purchased >= 0)
);

create table ai_pack (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, actions integer not null, reference text,
    constraint pk_ai_pack primary key (account_id, id),
    constraint ck_ai_pack_actions check (actions > 0)
);
create unique index uq_ai_pack_reference on ai_pack (account_id, reference);

create table attachment (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, id uuid not null, document_kind text, document_id uuid, name text not null,
    media_type text not null, size bigint not null, sha256 text not null, created_by uuid, channel text not null,
    deleted_at timestamptz, kept_until date,
    constraint pk_attachment primary key (account_id, id),
    constraint ck_attachment_document check ((document_kind is null) = (document_id is null)),
    constraint ck_attachment_kept_when_deleted check ((deleted_at is null) = (kept_until is null)),
    constraint ck_attachment_sha256 check (sha256 ~ '^[0-9a-f]{64}$'),
    constraint ck_attachment_size check (size > 0)
);
create index ix_attachment_content on attachment (account_id, sha256);
create index ix_attachment_document on attachment (account_id, document_kind, document_id, id);
create index ix_attachment_kept on attachment (account_id, kept_until) where deleted_at is not null;
create index ix_attachment_unattached on attachment (account_id, created_at) where document_id is null;

create table attachment_removal (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, sha256 text not null, begun_at timestamptz not null, done_at timestamptz,
    constraint pk_attachment_removal primary key (account_id, sha256)
);

create table attachment_usage (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, bytes bigint not null,
    constraint pk_attachment_usage primary key (account_id)
);

create table data_export (
    id uuid not null, user_id uuid not null, state text not null, place jsonb, parts integer default 0 not null,
    size bigint, created_at timestamptz default now() not null, ready_at timestamptz, expires_at timestamptz not null,
    constraint pk_data_export primary key (id),
    constraint ck_data_export_state check (state in ('making', 'ready', 'failed')),
    constraint fk_data_export_user_id foreign key (user_id) references app_user (id) on delete cascade,
    constraint uq_data_export_user_id unique (user_id)
);
"""
WALLED = (
    "idempotency_key",
    "used_confirmation",
    "search_word",
    "tally",
    "activity",
    "mail_log",
    "mail_count",
    "ai_action",
    "ai_balance",
    "ai_pack",
    "attachment",
    "attachment_removal",
    "attachment_usage",
)
"""Tables of an account: only the rows of the bound one are seen and taken."""
LOGS = ("search_word", "activity", "mail_log")
"""Their rows go with their account, once that is closed."""

OWN = "account_id = current_setting('ledgerkit.account_id')::uuid"
CLOSED = "exists (select from account where account.id = account_id and account.closed_at is not null)"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for statement in TABLES.strip().removesuffix(";").split(";\n"):
        op.execute(statement)
    for table in WALLED:
        op.execute(f"alter table {table} enable row level security")
        op.execute(f"create policy own_account on {table} using ({OWN}) with check ({OWN})")
    for table in LOGS:
        op.execute(f"create policy closed_account on {table} as restrictive for delete using ({CLOSED})")
