"""Messengers: linked chats, what arrives and what is sent, and what a member wants to be told."""

from alembic import op

revision = "0066"
down_revision = "0065"

TABLES = """
create table messaging_bot (
    messenger text not null, bot text not null, name text not null, next_update bigint default 0 not null,
    received_at timestamptz, holder uuid,
    lease_until timestamptz, failure text, failed_at timestamptz, detail text,
    constraint pk_messaging_bot primary key (messenger, bot)
);
create table messaging_update (
    messenger text not null, bot text not null, number bigint not null, chat text not null, content json,
    attempts integer default 0 not null, received_at timestamptz default now() not null, handled_at timestamptz,
    constraint pk_messaging_update primary key (messenger, bot, number)
);
create index ix_messaging_update_waiting on messaging_update (messenger, bot, chat, number) where handled_at is null;
create index ix_messaging_update_handled on messaging_update (handled_at) where handled_at is not null;
create table messaging_link_code (
    code_hash text not null, link_id uuid not null, messenger text not null, membership_id uuid not null,
    expires_at timestamptz not null, used_at timestamptz,
    constraint pk_messaging_link_code primary key (code_hash),
    constraint fk_messaging_link_code_membership_id
        foreign key (membership_id) references membership (id) on delete cascade
);
create index ix_messaging_link_code_membership on messaging_link_code (membership_id);
create table messaging_link (
    id uuid not null, messenger text not null, bot text not null, sender text not null, chat text not null,
    external_name text not null, membership_id uuid not null, state json not null,
    linked_at timestamptz default now() not null, last_seen_at timestamptz,
    constraint pk_messaging_link primary key (id),
    constraint fk_messaging_link_membership_id foreign key (membership_id) references membership (id) on delete cascade,
    constraint uq_messaging_link_messenger_sender unique (messenger, sender)
);
create index ix_messaging_link_membership on messaging_link (membership_id);
create table messaging_outgoing (
    id uuid not null, messenger text not null, bot text not null, chat text not null, link_id uuid,
    content json not null, attempts integer default 0 not null, due_at timestamptz default now() not null,
    created_at timestamptz default now() not null,
    constraint pk_messaging_outgoing primary key (id),
    constraint fk_messaging_outgoing_link_id foreign key (link_id) references messaging_link (id) on delete cascade
);
create index ix_messaging_outgoing_chat on messaging_outgoing (messenger, bot, chat, id);
create index ix_messaging_outgoing_link on messaging_outgoing (link_id);
create table messaging_preferences (
    membership_id uuid not null, digest boolean default true not null, digest_hour integer default 8 not null,
    quiet boolean default false not null, quiet_until timestamptz, language text, digested_on timestamptz,
    version integer default 1 not null,
    constraint pk_messaging_preferences primary key (membership_id),
    constraint fk_messaging_preferences_membership_id
        foreign key (membership_id) references membership (id) on delete cascade
);
"""


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for statement in TABLES.strip().removesuffix(";").split(";\n"):
        op.execute(statement)
