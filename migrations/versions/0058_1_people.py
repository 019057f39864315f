"""Accounts and people: who there is, who belongs where, and by what they come in."""

from alembic import op

revision = "0058_1"
down_revision = None

TABLES = """
create table account (
    id uuid not null, kind text not null, name text not null, company text, country text not null,
    currency text not null, tax_id text, address text, postal_code text, city text, province text, email text,
    phone text, iban text, time_zone text not null, default_tax_rate numeric(6, 3),
    default_retention_rate numeric(6, 3), payment_term_days integer default 30 not null,
    series jsonb default '{}' not null, logo text, created_at timestamptz default now() not null,
    updated_at timestamptz default now() not null, version integer default 1 not null, closed_at timestamptz,
    kept_until date, einvoicing text default 'on' not null, recorded_in text[] default '{}' not null,
    live_since timestamptz, archive_of uuid, regimes jsonb default '{}' not null,
    higher_simplified_limit boolean default false not null,
    constraint pk_account primary key (id),
    constraint ck_account_einvoicing check (einvoicing in ('on', 'off')),
    constraint fk_account_archive_of foreign key (archive_of) references account (id)
);
create unique index uq_account_archive_of on account (archive_of);

create table app_user (
    id uuid not null, email text not null, name text not null, password_hash text not null, country text not null,
    currency text not null, locale text not null, time_zone text not null, active_account_id uuid not null,
    token_version integer default 1 not null, registration_key text, registration_body text,
    email_verified boolean default false not null, created_at timestamptz default now() not null,
    constraint pk_app_user primary key (id),
    constraint fk_app_user_active_account_id foreign key (active_account_id) references account (id),
    constraint uq_app_user_email unique (email)
);

create table membership (
    id uuid not null, account_id uuid not null, user_id uuid not null, role text not null, invited_by uuid,
    joined_at timestamptz default now() not null, last_active_at timestamptz,
    constraint pk_membership primary key (id),
    constraint fk_membership_account_id foreign key (account_id) references account (id),
    constraint fk_membership_invited_by foreign key (invited_by) references app_user (id),
    constraint fk_membership_user_id foreign key (user_id) references app_user (id),
    constraint uq_membership_account_id_id unique (account_id, id),
    constraint uq_membership_account_id_user_id unique (account_id, user_id)
);
create index ix_membership_user on membership (user_id);
create unique index uq_membership_owner on membership (account_id) where role = 'owner';

create table invitation (
    id uuid not null, account_id uuid not null, email text not null, role text not null, state text not null,
    token_hash text, invited_by uuid, created_at timestamptz default now() not null, expires_at timestamptz not null,
    constraint pk_invitation primary key (id),
    constraint fk_invitation_account_id foreign key (account_id) references account (id),
    constraint fk_invitation_invited_by foreign key (invited_by) references app_user (id),
    constraint uq_invitation_token_hash unique (token_hash)
);
create index ix_invitation_account on invitation (account_id, created_at);
create index ix_invitation_email on invitation (email) where state = 'open';

create table issuer_series (
    country text not null, tax_id text not null, series text not null, account_id uuid not null, used_at timestamptz,
    retired_at timestamptz, created_at timestamptz default now() not null,
    constraint pk_issuer_series primary key (country, tax_id, series),
    constraint fk_issuer_series_account_id foreign key (account_id) references account (id)
);
create index ix_issuer_series_account on issuer_series (account_id);

create table revoked_login (
    jti text not null, expires_at timestamptz not null,
    constraint pk_revoked_login primary key (jti)
);

create table mailed_link (
    id uuid not null, user_id uuid not null, purpose text not null, token_hash text not null,
    created_at timestamptz default now() not null, expires_at timestamptz not null, used_at timestamptz,
    constraint pk_mailed_link primary key (id),
    constraint fk_mailed_link_user_id foreign key (user_id) references app_user (id) on delete cascade,
    constraint uq_mailed_link_token_hash unique (token_hash)
);
create index ix_mailed_link_user on mailed_link (user_id, purpose, created_at);

create table api_key (
    id uuid not null, kind text not null, owner_id uuid not null, version integer default 1 not null,
    created_at timestamptz default now() not null,
    constraint pk_api_key primary key (id),
    constraint uq_api_key_kind_owner_id unique (kind, owner_id)
);

create table scoped_key (
    id uuid not null, membership_id uuid not null, name text not null, scopes text[] not null, key_hash text not null,
    prefix text not null, created_at timestamptz default now() not null, expires_at timestamptz,
    last_used_at timestamptz,
    constraint pk_scoped_key primary key (id),
    constraint fk_scoped_key_membership_id foreign key (membership_id) references membership (id) on delete cascade,
    constraint uq_scoped_key_key_hash unique (key_hash)
);
create index ix_scoped_key_membership on scoped_key (membership_id);

create table oauth_client (
    client_id text not null, secret_hash text, metadata jsonb not null, created_at timestamptz default now() not null,
    expires_at timestamptz not null,
    constraint pk_oauth_client primary key (client_id)
);

create table oauth_request (
    id_hash text not null, client_id text not null, client_name text not null, redirect_uri text not null, state text,
    code_challenge text not null, scopes text[] not null, resource text not null, expires_at timestamptz not null,
    constraint pk_oauth_request primary key (id_hash)
);
create index ix_oauth_request_expires_at on oauth_request (expires_at);

create table oauth_login (
    session_hash text not null, user_id uuid not null, user_version integer not null, expires_at timestamptz not null,
    constraint pk_oauth_login primary key (session_hash),
    constraint fk_oauth_login_user_id foreign key (user_id) references app_user (id) on delete cascade
);
create index ix_oauth_login_user on oauth_login (user_id);

create table oauth_grant (
    id uuid not null, client_id text not null, client_name text not null, user_id uuid not null,
    account_id uuid not null, user_version integer not null, scopes text[] not null, resource text not null,
    created_at timestamptz default now() not null, last_used_at timestamptz, expires_at timestamptz not null,
    constraint pk_oauth_grant primary key (id),
    constraint fk_oauth_grant_account_id_user_id foreign key (account_id, user_id)
        references membership (account_id, user_id) on delete cascade
);
create index ix_oauth_grant_member on oauth_grant (account_id, user_id);
create index ix_oauth_grant_user on oauth_grant (user_id);

create table oauth_code (
    code_hash text not null, grant_id uuid not null, redirect_uri text not null, code_challenge text not null,
    expires_at timestamptz not null, used_at timestamptz,
    constraint pk_oauth_code primary key (code_hash),
    constraint fk_oauth_code_grant_id foreign key (grant_id) references oauth_grant (id) on delete cascade
);
create index ix_oauth_code_grant on oauth_code (grant_id);

create table oauth_token (
    token_hash text not null, kind text not null, grant_id uuid not null, scopes text[] not null,
    expires_at timestamptz not null, used_at timestamptz,
    constraint pk_oauth_token primary key (token_hash),
    constraint fk_oauth_token_grant_id foreign key (grant_id) references oauth_grant (id) on delete cascade
);
create index ix_oauth_token_expires_at on oauth_token (expires_at);
create index ix_oauth_token_grant on oauth_token (grant_id);
"""


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for statement in TABLES.strip().removesuffix(";").split(";\n"):
        op.execute(statement)
