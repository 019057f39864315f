"""Records that are signed and not sent: events, and demands of the authority."""

from alembic import op

revision = "0058_7"
down_revision = "0058_6"

TABLES = """
create table fiscal_keeper (
    account_id uuid not null, installation_id uuid not null, summed_at timestamptz not null,
    constraint pk_fiscal_keeper primary key (account_id, installation_id),
    constraint fk_fiscal_keeper_account_id foreign key (account_id) references account (id)
);
create index ix_fiscal_keeper_summed on fiscal_keeper (summed_at);

create table fiscal_event_log (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, installation_id uuid not null, position integer default 0 not null,
    last_event_id uuid, last_code text, last_fingerprint text, last_generated_at timestamptz,
    summed_events integer default 0 not null, summed_records integer default 0 not null,
    constraint pk_fiscal_event_log primary key (account_id, installation_id),
    constraint fk_fiscal_event_log_account_id_installation_id foreign key (account_id, installation_id)
        references fiscal_installation (account_id, id)
);

create table fiscal_event (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, installation_id uuid not null, position integer not null,
    previous_id uuid, kind text not null, code text not null, content bytea not null, fingerprint text not null,
    generated_at timestamptz not null,
    constraint pk_fiscal_event primary key (account_id, id),
    constraint fk_fiscal_event_account_id_installation_id foreign key (account_id, installation_id)
        references fiscal_installation (account_id, id),
    constraint fk_fiscal_event_account_id_previous_id foreign key (account_id, previous_id)
        references fiscal_event (account_id, id),
    constraint uq_fiscal_event_account_id_installation_id_position unique (account_id, installation_id, position),
    constraint uq_fiscal_event_account_id_installation_id_previous_id
        unique (account_id, installation_id, previous_id)
);

create table fiscal_demand (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, channel text not null, environment text not null,
    issuer_tax_id text not null, reference text not null, since date not null, until date not null,
    constraint pk_fiscal_demand primary key (account_id, id),
    constraint uq_fiscal_demand_account_id_environment_issuer_tax_id_reference
        unique (account_id, environment, issuer_tax_id, reference)
);

create table fiscal_demand_message (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, demand_id uuid not null, ordinal integer not null,
    records json not null, request bytea not null,
    constraint pk_fiscal_demand_message primary key (account_id, id),
    constraint fk_fiscal_demand_message_account_id_demand_id foreign key (account_id, demand_id)
        references fiscal_demand (account_id, id),
    constraint uq_fiscal_demand_message_account_id_demand_id_ordinal unique (account_id, demand_id, ordinal)
);

create table fiscal_demand_answer (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, message_id uuid not null, http_status integer, body bytea not null,
    error text, fault text, reference text, delivered boolean not null,
    constraint pk_fiscal_demand_answer primary key (account_id, id),
    constraint fk_fiscal_demand_answer_account_id_message_id foreign key (account_id, message_id)
        references fiscal_demand_message (account_id, id)
);
create index ix_fiscal_demand_answer_message on fiscal_demand_answer (account_id, message_id, id);
"""
WALLED = ("fiscal_event_log", "fiscal_event", "fiscal_demand", "fiscal_demand_message", "fiscal_demand_answer")
"""Tables of an account: only the rows of the bound one are seen and taken."""

OWN = "account_id = current_setting('ledgerkit.account_id')::uuid"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for statement in TABLES.strip().removesuffix(";").split(";\n"):
        op.execute(statement)
    for table in WALLED:
        op.execute(f"alter table {table} enable row level security")
        op.execute(f"create policy own_account on {table} using ({OWN}) with check ({OWN})")
