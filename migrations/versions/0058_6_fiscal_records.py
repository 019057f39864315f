"""Fiscal records: chains, certificates, what is sent to the authority and what it answers."""

from alembic import op

revision = "0058_6"
down_revision = "0058_5"

TABLES = """
create table fiscal_installation (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, channel text not null, environment text not null, issuer_tax_id text not null,
    position integer default 0 not null, last_record_id uuid, last_number text, last_issue_date date,
    last_fingerprint text, last_generated_at timestamptz, last_digest bytea, origin_number text,
    origin_issue_date date, origin_fingerprint text, origin_generated_at timestamptz, database_identity text,
    closed_at timestamptz, closed_reason text, alarm_at timestamptz, alarm_position integer, alarm_code text,
    alarm_message text, last_check jsonb, mode text default 'reporting' not null, mode_since timestamptz,
    reporting_until date, numbers text, last_sent_number text, mode_position integer default 0 not null,
    constraint pk_fiscal_installation primary key (account_id, id),
    constraint ck_fiscal_installation_numbers check (numbers in ('due', 'asked', 'renamed'))
);
create unique index uq_fiscal_installation_open on fiscal_installation (account_id, channel, environment,
    issuer_tax_id)
    where closed_at is null;

create table fiscal_database (
    identity text not null, known_since timestamptz default now() not null,
    constraint pk_fiscal_database primary key (identity)
);

create table fiscal_declaration (
    channel text not null, version text not null, digest bytea not null, content json not null,
    rendered_at timestamptz default now() not null,
    constraint pk_fiscal_declaration primary key (channel, version, digest)
);

create table fiscal_certificate (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, content bytea not null, holder text not null, country text not null,
    tax_id text not null, issuer text not null, serial text not null, valid_from timestamptz not null,
    valid_to timestamptz not null, seal boolean not null, signs boolean not null, warned_days integer, user_id uuid,
    user_name text not null, represents boolean not null,
    constraint pk_fiscal_certificate primary key (account_id, id),
    constraint uq_fiscal_certificate_account_id unique (account_id)
);

create table fiscal_record (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, installation_id uuid not null, position integer not null,
    previous_id uuid, kind text not null, invoice_id uuid not null, country text not null, channel text not null,
    channel_version text not null, environment text not null, fiscal_id text not null, issuer_tax_id text not null,
    number text not null, issue_date date not null, content bytea not null, media_type text not null,
    fingerprint text not null, qr_url text, generated_at timestamptz not null, corrects_id uuid, reason text,
    told text, flags json, issuer_name text not null, operated_on date not null, digest bytea not null, replaces text,
    constraint pk_fiscal_record primary key (account_id, id),
    constraint fk_fiscal_record_account_id_corrects_id foreign key (account_id, corrects_id)
        references fiscal_record (account_id, id),
    constraint fk_fiscal_record_account_id_installation_id foreign key (account_id, installation_id)
        references fiscal_installation (account_id, id),
    constraint fk_fiscal_record_account_id_invoice_id foreign key (account_id, invoice_id)
        references invoice (account_id, id),
    constraint fk_fiscal_record_account_id_previous_id foreign key (account_id, previous_id)
        references fiscal_record (account_id, id),
    constraint uq_fiscal_record_account_id_installation_id_position unique (account_id, installation_id, position),
    constraint uq_fiscal_record_account_id_installation_id_previous_id
        unique (account_id, installation_id, previous_id)
);
create index ix_fiscal_record_fiscal_id on fiscal_record (account_id, fiscal_id, id);
create index ix_fiscal_record_invoice on fiscal_record (account_id, invoice_id, id);

create table fiscal_status (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, record_id uuid not null, installation_id uuid not null,
    position integer not null, state text not null, code text, message text, reference text, submitted_at timestamptz,
    attempts integer default 0 not null, submission_id uuid, in_doubt boolean default false not null,
    doubts integer default 0 not null, aside_until timestamptz, refusals integer default 0 not null, held json,
    burnt text,
    constraint pk_fiscal_status primary key (account_id, record_id),
    constraint fk_fiscal_status_account_id_record_id foreign key (account_id, record_id)
        references fiscal_record (account_id, id)
);
create index ix_fiscal_status_faulty on fiscal_status (account_id, record_id)
    where state in ('rejected', 'accepted_with_errors');
create index ix_fiscal_status_open on fiscal_status (account_id, installation_id, position)
    where state in ('pending', 'unknown');

create table fiscal_lost_number (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, installation_id uuid not null, series text not null,
    year integer not null, ordinal integer not null, number text not null, held boolean not null, issue_date date,
    total numeric(15, 2), state text, fingerprint text,
    constraint pk_fiscal_lost_number primary key (account_id, id),
    constraint fk_fiscal_lost_number_account_id_installation_id foreign key (account_id, installation_id)
        references fiscal_installation (account_id, id),
    constraint uq_fiscal_lost_number_account_id_series_year_ordinal unique (account_id, series, year, ordinal)
);

create table fiscal_sender (
    account_id uuid not null, installation_id uuid not null, due_at timestamptz, allowed_at timestamptz,
    wait_seconds integer default 60 not null, failures integer default 0 not null, lease_until timestamptz,
    lease_holder uuid, waiting integer default 0 not null, waiting_since timestamptz, watch_at timestamptz,
    batch_limit integer, suspect_until integer, proven boolean default false not null, stopped_at timestamptz,
    position integer default 0 not null, database_identity text,
    constraint pk_fiscal_sender primary key (account_id, installation_id),
    constraint fk_fiscal_sender_account_id foreign key (account_id) references account (id)
);
create index ix_fiscal_sender_due on fiscal_sender (due_at) where due_at is not null;
create index ix_fiscal_sender_watch on fiscal_sender (watch_at) where watch_at is not null;

create table fiscal_incident (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, installation_id uuid not null, kind text not null, detail text not null,
    ended_at timestamptz, mailed_at timestamptz,
    constraint pk_fiscal_incident primary key (account_id, id),
    constraint fk_fiscal_incident_account_id_installation_id foreign key (account_id, installation_id)
        references fiscal_installation (account_id, id)
);
create index ix_fiscal_incident_kind on fiscal_incident (account_id, installation_id, kind, id);
create unique index uq_fiscal_incident_open on fiscal_incident (account_id, installation_id, kind)
    where ended_at is null;

create table fiscal_submission (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, installation_id uuid not null, first_position integer not null,
    last_position integer not null, late boolean not null, request bytea not null, runs json not null,
    repeats_id uuid,
    constraint pk_fiscal_submission primary key (account_id, id),
    constraint fk_fiscal_submission_account_id_installation_id foreign key (account_id, installation_id)
        references fiscal_installation (account_id, id)
);
create index ix_fiscal_submission_positions on fiscal_submission (account_id, installation_id, first_position);

create table fiscal_answer (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, submission_id uuid not null, http_status integer,
    body bytea not null, error text, fault text, reference text,
    constraint pk_fiscal_answer primary key (account_id, id),
    constraint fk_fiscal_answer_account_id_submission_id foreign key (account_id, submission_id)
        references fiscal_submission (account_id, id)
);

create table fiscal_query (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, installation_id uuid not null, submission_id uuid,
    year integer not null, month integer not null, number text, request bytea not null,
    constraint pk_fiscal_query primary key (account_id, id),
    constraint fk_fiscal_query_account_id_installation_id foreign key (account_id, installation_id)
        references fiscal_installation (account_id, id),
    constraint fk_fiscal_query_account_id_submission_id foreign key (account_id, submission_id)
        references fiscal_submission (account_id, id)
);
create index ix_fiscal_query_submission on fiscal_query (account_id, submission_id);

create table fiscal_query_answer (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, query_id uuid not null, http_status integer, body bytea not null,
    failure text,
    constraint pk_fiscal_query_answer primary key (account_id, id),
    constraint fk_fiscal_query_answer_account_id_query_id foreign key (account_id, query_id)
        references fiscal_query (account_id, id)
);

create table fiscal_outcome (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, record_id uuid not null, submission_id uuid, state text not null,
    code text, message text, query_id uuid,
    constraint pk_fiscal_outcome primary key (account_id, id),
    constraint fk_fiscal_outcome_account_id_query_id foreign key (account_id, query_id)
        references fiscal_query (account_id, id),
    constraint fk_fiscal_outcome_account_id_record_id foreign key (account_id, record_id)
        references fiscal_record (account_id, id),
    constraint fk_fiscal_outcome_account_id_submission_id foreign key (account_id, submission_id)
        references fiscal_submission (account_id, id)
);
create index ix_fiscal_outcome_record on fiscal_outcome (account_id, record_id, id);
"""
WALLED = (
    "fiscal_installation",
    "fiscal_certificate",
    "fiscal_record",
    "fiscal_status",
    "fiscal_lost_number",
    "fiscal_incident",
    "fiscal_submission",
    "fiscal_answer",
    "fiscal_query",
    "fiscal_query_answer",
    "fiscal_outcome",
)
"""Tables of an account: only the rows of the bound one are seen and taken."""

OWN = "account_id = current_setting('ledgerkit.account_id')::uuid"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for statement in TABLES.strip().removesuffix(";").split(";\n"):
        op.execute(statement)
    for table in WALLED:
        op.execute(f"alter table {table} enable row level security")
        op.execute(f"create policy own_account on {table} using ({OWN}) with check ({OWN})")
