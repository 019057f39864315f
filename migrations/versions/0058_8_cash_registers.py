"""Cash registers and what moves in them."""

from alembic import op

revision = "0058_8"
down_revision = "0058_7"

TABLES = """
create table cash_register_counter (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, next integer not null,
    constraint pk_cash_register_counter primary key (account_id)
);

create table cash_register (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, holder uuid not null, user_id uuid, user_name text not null,
    channel text not null, status text default 'open' not null, currency text not null,
    opening_amount numeric(15, 2) not null, notes text, sales numeric(15, 2) default 0 not null,
    refunds numeric(15, 2) default 0 not null, cash_in numeric(15, 2) default 0 not null,
    cash_out numeric(15, 2) default 0 not null, cash numeric(15, 2) default 0 not null,
    card numeric(15, 2) default 0 not null, transfer numeric(15, 2) default 0 not null,
    sales_count integer default 0 not null, movement_count integer default 0 not null,
    expected_amount numeric(15, 2) not null, closing_amount numeric(15, 2), difference numeric(15, 2),
    closing_notes text, closed_at timestamptz, z_number integer,
    constraint pk_cash_register primary key (account_id, id),
    constraint ck_cash_register_closed_whole check ((status = 'closed') = (closed_at is not null
        and closing_amount is not null and difference is not null and z_number is not null)),
    constraint ck_cash_register_status check (status in ('open', 'closed')),
    constraint uq_cash_register_account_id_z_number unique (account_id, z_number)
);
create index ix_cash_register_closed on cash_register (account_id, closed_at, id) where status = 'closed';
create index ix_cash_register_own on cash_register (account_id, holder, closed_at, id) where status = 'closed';
create unique index uq_cash_register_open on cash_register (account_id, holder) where status = 'open';

create table cash_movement (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, register_id uuid not null, ordinal integer not null,
    type text not null, amount numeric(15, 2) not null, payment_method text not null, description text not null,
    invoice_id uuid, consumer_final boolean, line_items json not null, prices_include_tax boolean not null,
    created_by uuid, channel text not null, credit_note_id uuid,
    constraint pk_cash_movement primary key (account_id, id),
    constraint fk_cash_movement_account_id_credit_note_id foreign key (account_id, credit_note_id)
        references invoice (account_id, id),
    constraint fk_cash_movement_account_id_invoice_id foreign key (account_id, invoice_id)
        references invoice (account_id, id),
    constraint fk_cash_movement_account_id_register_id foreign key (account_id, register_id)
        references cash_register (account_id, id),
    constraint uq_cash_movement_account_id_register_id_ordinal unique (account_id, register_id, ordinal)
);
create index ix_cash_movement_invoice on cash_movement (account_id, invoice_id) where invoice_id is not null;
"""
WALLED = ("cash_register_counter", "cash_register", "cash_movement")
"""Tables of an account: only the rows of the bound one are seen and taken."""

OWN = "account_id = current_setting('ledgerkit.account_id')::uuid"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for statement in TABLES.strip().removesuffix(";").split(";\n"):
        op.execute(statement)
    for table in WALLED:
        op.execute(f"alter table {table} enable row level security")
        op.execute(f"create policy own_account on {table} using ({OWN}) with check ({OWN})")
