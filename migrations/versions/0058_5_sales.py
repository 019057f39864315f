"""Sales: clients, invoices and their payments, and the tasks around them."""

from alembic import op

revision = "0058_5"
down_revision = "0058_4"

TABLES = """
create table client (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, name text not null, tax_id text, country text not null, email text,
    phone text, address text, city text, province text, postal_code text, language text, contact_name text,
    first_name text, surnames text, dir3 jsonb, equivalence_surcharge boolean default false not null,
    default_tax_rate numeric(6, 3), default_retention_rate numeric(6, 3), payment_term_days integer, notes text,
    is_company boolean default true not null, warnings json not null, name_key text not null,
    search_text text not null, deleted_at timestamptz, tax_id_kind text,
    constraint pk_client primary key (account_id, id)
);
create index ix_client_bare_name on client (account_id, replace(name_key, ' ', '')) where deleted_at is null;
create index ix_client_name on client (account_id, name_key, id) where deleted_at is null;
create index ix_client_tax_id on client (account_id, tax_id) where deleted_at is null;

create table invoice (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, doc_type text not null, status text not null, series text not null,
    year integer, ordinal integer, number text, client_id uuid, client json not null, issuer json,
    items json not null, tax_rate numeric(6, 3) not null, retention_rate numeric(6, 3) not null,
    subtotal numeric(15, 2) not null, tax_amount numeric(15, 2) not null, surcharge_amount numeric(15, 2) not null,
    retention_amount numeric(15, 2) not null, total numeric(15, 2) not null,
    amount_paid numeric(15, 2) default 0 not null, credited numeric(15, 2) default 0 not null,
    tax_breakdown json not null, rounding text not null, currency text not null, issue_date date, operation_date date,
    due_date date, paid_at date, issued_at timestamptz, sent_at timestamptz, notes text, terms text,
    buyer_reference text, purchase_order text, place_of_supply text, payment_method text, iban text, rectifies uuid,
    correction_reason text, einvoice json, created_by uuid, channel text not null, search_text text not null,
    deleted_at timestamptz,
    booked_on date generated always as (case when doc_type = 'credit_note' then issue_date
        else coalesce(operation_date, issue_date) end) stored,
    prices_include_tax boolean default false not null, fiscal_standing text, correction_method text, replaced json,
    replaced_goods json, substitutes json, substituted_by uuid, third_party json, operation_description text,
    fiscal_details json, issued_by text default 'issuer' not null, unrecorded text, share_seed bytea,
    origin text default 'own' not null, exchange_rate numeric(14, 8), exchange_rate_source text, converted json,
    converted_replaced json, triangular boolean default false not null, viewed_at timestamptz, term_days integer,
    triangular_exempt boolean default false not null,
    constraint pk_invoice primary key (account_id, id),
    constraint ck_invoice_dated_when_issued check (issue_date is not null or status = 'draft'),
    constraint ck_invoice_due_or_term check ((due_date is null) = (term_days is not null)),
    constraint ck_invoice_due_when_issued check (due_date is not null or status = 'draft'),
    constraint ck_invoice_external_is_issued check (origin = 'own' or (status <> 'draft' and einvoice is null)),
    constraint ck_invoice_fiscal_standing
        check (fiscal_standing in ('open', 'refused', 'held', 'annulling', 'annulled', 'reactivating')),
    constraint ck_invoice_issued_by check (issued_by in ('issuer', 'recipient', 'third_party')),
    constraint ck_invoice_numbered_when_issued check ((number is null) = (status = 'draft')),
    constraint ck_invoice_numbered_with_its_record check ((unrecorded is null) = (status = 'draft'
        or einvoice is not null or origin = 'external')),
    constraint ck_invoice_origin check (origin in ('own', 'external')),
    constraint ck_invoice_standing_when_emitted check ((fiscal_standing is null) = (einvoice is null)),
    constraint ck_invoice_status check (status in ('draft', 'sent', 'paid')),
    constraint ck_invoice_unrecorded
        check (unrecorded in ('chosen', 'no_tax_id', 'no_channel', 'regime', 'earlier_version')),
    constraint fk_invoice_account_id_client_id foreign key (account_id, client_id) references client (account_id, id),
    constraint fk_invoice_account_id_rectifies foreign key (account_id, rectifies)
        references invoice (account_id, id),
    constraint fk_invoice_account_id_substituted_by foreign key (account_id, substituted_by)
        references invoice (account_id, id)
);
create index ix_invoice_booked on invoice (account_id, booked_on) where status <> 'draft';
create index ix_invoice_client on invoice (account_id, client_id, issue_date, created_at, id)
    where deleted_at is null;
create index ix_invoice_doc_type on invoice (account_id, doc_type, issue_date, created_at, id)
    where deleted_at is null;
create index ix_invoice_due on invoice (account_id, due_date) where status = 'sent' and deleted_at is null
    and amount_paid + credited < total;
create index ix_invoice_listed on invoice (account_id, issue_date, created_at, id) where deleted_at is null;
create index ix_invoice_rectifies on invoice (account_id, rectifies) where rectifies is not null;
create index ix_invoice_replacing on invoice (account_id, booked_on) where replaced is not null;
create index ix_invoice_series on invoice (account_id, series, issue_date, created_at, id) where deleted_at is null;
create index ix_invoice_status on invoice (account_id, status, issue_date, created_at, id) where deleted_at is null;
create index ix_invoice_substituted_by on invoice (account_id, substituted_by) where substituted_by is not null;
create index ix_invoice_unrecorded on invoice (account_id, issued_at) where unrecorded is not null;
create unique index uq_invoice_account_id_number on invoice (account_id, number) where origin = 'own'
    or deleted_at is null;
create unique index uq_invoice_account_id_series_year_ordinal on invoice (account_id, series, year, ordinal)
    where origin = 'own' or deleted_at is null;

create table invoice_counter (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, series text not null, year integer not null, next integer not null,
    last_date date not null,
    constraint pk_invoice_counter primary key (account_id, series, year)
);

create table invoice_payment (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, invoice_id uuid not null, amount numeric(15, 2) not null, method text,
    paid_at date not null, created_by uuid, channel text not null, base_amount numeric(15, 2),
    constraint pk_invoice_payment primary key (account_id, id),
    constraint ck_invoice_payment_some_amount check (amount <> 0),
    constraint fk_invoice_payment_account_id_invoice_id foreign key (account_id, invoice_id)
        references invoice (account_id, id)
);
create index ix_invoice_payment_invoice on invoice_payment (account_id, invoice_id, id);
create index ix_invoice_payment_paid_at on invoice_payment (account_id, paid_at);

create table share_link (
    account_id uuid not null, invoice_id uuid not null, seed bytea not null, earlier_hash bytea,
    constraint pk_share_link primary key (seed),
    constraint fk_share_link_account_id foreign key (account_id) references account (id),
    constraint uq_share_link_account_id_invoice_id unique (account_id, invoice_id),
    constraint uq_share_link_earlier_hash unique (earlier_hash)
);

create table task_board (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null,
    constraint pk_task_board primary key (account_id)
);

create table task (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, title text not null, description text, status text not null,
    priority text not null, due_date date, member_id uuid, tags json not null, position bigint not null,
    client_id uuid, invoice_id uuid, created_by uuid, channel text not null, completed_at timestamptz,
    deleted_at timestamptz,
    constraint pk_task primary key (account_id, id),
    constraint ck_task_completed_when_done check ((completed_at is not null) = (status = 'done')),
    constraint ck_task_priority check (priority in ('low', 'medium', 'high', 'urgent')),
    constraint ck_task_status check (status in ('backlog', 'todo', 'in_progress', 'review', 'done')),
    constraint fk_task_account_id_client_id foreign key (account_id, client_id) references client (account_id, id),
    constraint fk_task_account_id_invoice_id foreign key (account_id, invoice_id) references invoice (account_id, id),
    constraint fk_task_account_id_member_id foreign key (account_id, member_id) references membership (account_id, id)
        on delete set null (member_id)
);
create index ix_task_due on task (account_id, due_date) where deleted_at is null;
create index ix_task_listed on task (account_id, position, id) where deleted_at is null;
create index ix_task_member on task (account_id, member_id, position, id);
create index ix_task_priority on task (account_id, priority, position, id) where deleted_at is null;
create index ix_task_status on task (account_id, status, position, id) where deleted_at is null;
"""
WALLED = ("client", "invoice", "invoice_counter", "invoice_payment", "task_board", "task")
"""Tables of an account: only the rows of the bound one are seen and taken."""

OWN = "account_id = current_setting('ledgerkit.account_id')::uuid"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for statement in TABLES.strip().removesuffix(";").split(";\n"):
        op.execute(statement)
    for table in WALLED:
        op.execute(f"alter table {table} enable row level security")
        op.execute(f"create policy own_account on {table} using ({OWN}) with check ({OWN})")
