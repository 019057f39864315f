"""Purchases: vendors, their invoices and payments, and expenses."""

from alembic import op

revision = "0058_3"
down_revision = "0058_2"

TABLES = """
create table vendor (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, name text not null, tax_id text, country text not null, email text,
    phone text, address text, city text, province text, postal_code text, contact_name text, iban text,
    payment_term_days integer, default_category text, default_tax_rate numeric(6, 3), notes text,
    name_key text not null, tax_key text, search_text text not null,
    constraint pk_vendor primary key (account_id, id)
);
create index ix_vendor_name on vendor (account_id, name_key, id);
create unique index uq_vendor_name on vendor (account_id, name_key) where tax_key is null;
create unique index uq_vendor_tax_id on vendor (account_id, tax_key) where tax_key is not null;

create table vendor_payable (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, vendor_id uuid not null, currency text not null, vendor_name text not null,
    vendor_tax_id text, invoice_count integer not null, invoiced numeric(17, 2) not null,
    paid numeric(17, 2) not null, balance numeric(17, 2) generated always as (invoiced - paid) stored not null,
    constraint pk_vendor_payable primary key (account_id, vendor_id, currency)
);
create index ix_vendor_payable_balance on vendor_payable (account_id, currency, balance, vendor_id)
    where invoice_count > 0;

create table supplier_invoice (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, vendor_id uuid not null, vendor_name text not null, vendor_tax_id text,
    vendor_country text not null, invoice_number text, number_key text, invoice_date date not null,
    operation_date date, reception_date date not null, deduction_date date not null, due_date date not null,
    items json not null, tax_breakdown json not null, subtotal numeric(15, 2) not null,
    tax_rate numeric(6, 3) not null, tax_amount numeric(15, 2) not null, surcharge_amount numeric(15, 2) not null,
    self_assessed_tax numeric(15, 2) not null, retention_rate numeric(6, 3), retention_amount numeric(15, 2) not null,
    total numeric(15, 2) not null, paid_amount numeric(15, 2) default 0 not null,
    balance numeric(15, 2) generated always as (total - paid_amount) stored not null, currency text not null,
    category text, notes text, attachment_url text, reverse_charge boolean not null, intra_eu text not null,
    investment_good boolean not null, deductible_percent numeric(6, 3) not null,
    deductible_tax_amount numeric(15, 2) not null, income_tax_percent numeric(6, 3) not null, regime_key text,
    cancel_reason text, cancelled_at timestamptz, created_by uuid, channel text not null, search_text text not null,
    retention_kind text, leased_property text, import_dua text, useful_life_years integer,
    triangular boolean default false not null, deductions json not null, origin text default 'own' not null,
    exchange_rate numeric(14, 8), exchange_rate_source text, converted json, rectifies uuid,
    constraint pk_supplier_invoice primary key (account_id, id),
    constraint ck_supplier_invoice_cancelled_unpaid check (cancelled_at is null or paid_amount = 0),
    constraint ck_supplier_invoice_intra_eu check (intra_eu in ('none', 'goods', 'services')),
    constraint ck_supplier_invoice_origin check (origin in ('own', 'external')),
    constraint ck_supplier_invoice_paid_up_to_total check (paid_amount between least(total, 0)
        and greatest(total, 0)),
    constraint ck_supplier_invoice_retention_kind
        check (retention_kind in ('employment', 'employment_in_kind', 'professional', 'rent', 'other')),
    constraint fk_supplier_invoice_account_id_rectifies foreign key (account_id, rectifies)
        references supplier_invoice (account_id, id),
    constraint fk_supplier_invoice_account_id_vendor_id foreign key (account_id, vendor_id)
        references vendor (account_id, id)
);
create index ix_supplier_invoice_balance on supplier_invoice (account_id, balance, id);
create index ix_supplier_invoice_cancelled on supplier_invoice (account_id, due_date, id)
    where cancelled_at is not null;
create index ix_supplier_invoice_created on supplier_invoice (account_id, created_at, id);
create index ix_supplier_invoice_dated on supplier_invoice (account_id, invoice_date, id);
create index ix_supplier_invoice_deduction on supplier_invoice (account_id, deduction_date)
    where cancelled_at is null;
create index ix_supplier_invoice_due on supplier_invoice (account_id, due_date, id);
create index ix_supplier_invoice_open on supplier_invoice (account_id, due_date, id) where balance <> 0
    and cancelled_at is null;
create index ix_supplier_invoice_open_vendor on supplier_invoice (account_id, vendor_id, due_date) where balance <> 0
    and cancelled_at is null;
create index ix_supplier_invoice_paid on supplier_invoice (account_id, due_date, id) where balance = 0
    and cancelled_at is null;
create index ix_supplier_invoice_reception on supplier_invoice (account_id, reception_date)
    where cancelled_at is null;
create index ix_supplier_invoice_total on supplier_invoice (account_id, total, id);
create index ix_supplier_invoice_vendor on supplier_invoice (account_id, vendor_id, due_date, id);
create unique index uq_supplier_invoice_number on supplier_invoice (account_id, vendor_id, number_key)
    where cancelled_at is null;

create table supplier_payment (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, supplier_invoice_id uuid not null, vendor_id uuid not null,
    vendor_name text not null, amount numeric(15, 2) not null, currency text not null, payment_method text not null,
    payment_date date not null, bank text, reference text, notes text, attachment_url text,
    balance_after numeric(15, 2) not null, created_by uuid, channel text not null, base_amount numeric(15, 2),
    constraint pk_supplier_payment primary key (account_id, id),
    constraint ck_supplier_payment_amount check (amount <> 0),
    constraint fk_supplier_payment_account_id_supplier_invoice_id foreign key (account_id, supplier_invoice_id)
        references supplier_invoice (account_id, id)
);
create index ix_supplier_payment_dated on supplier_payment (account_id, payment_date, id);
create index ix_supplier_payment_invoice on supplier_payment (account_id, supplier_invoice_id, id);
create index ix_supplier_payment_method on supplier_payment (account_id, payment_method, payment_date, id);

create table expense (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, description text not null, doc_type text not null, invoice_number text,
    category text not null, vendor text, vendor_id uuid, vendor_tax_id text, vendor_country text,
    amount numeric(15, 2) not null, net_amount numeric(15, 2) not null, tax_rate numeric(6, 3) not null,
    tax_amount numeric(15, 2) not null, retention_rate numeric(6, 3) not null,
    retention_amount numeric(15, 2) not null, currency text not null, exchange_rate numeric(14, 8) not null,
    base_total numeric(15, 2) not null, base_amount numeric(15, 2) not null, base_tax_amount numeric(15, 2) not null,
    base_retention_amount numeric(15, 2) not null, deductible boolean not null,
    deductible_percent numeric(6, 3) not null, deductible_tax_amount numeric(15, 2) not null,
    income_tax_percent numeric(6, 3) not null, date date not null, operation_date date, reception_date date not null,
    deduction_date date not null, reverse_charge boolean not null, intra_eu text not null,
    investment_good boolean not null, regime_key text, payment_method text, paid_at date, receipt_url text,
    source text not null, notes text, created_by uuid, channel text not null, vendor_key text,
    search_text text not null, deleted_at timestamptz, retention_kind text, leased_property text, import_dua text,
    useful_life_years integer, triangular boolean default false not null, rectifies uuid,
    constraint pk_expense primary key (account_id, id),
    constraint ck_expense_hidden_ones_hold_no_vendor check (vendor_id is null or deleted_at is null),
    constraint ck_expense_intra_eu check (intra_eu in ('none', 'goods', 'services')),
    constraint ck_expense_retention_kind
        check (retention_kind in ('employment', 'employment_in_kind', 'professional', 'rent', 'other')),
    constraint fk_expense_account_id_vendor_id foreign key (account_id, vendor_id) references vendor (account_id, id)
);
create index ix_expense_category on expense (account_id, category, date, created_at, id) where deleted_at is null;
create index ix_expense_deduction on expense (account_id, deduction_date) where deleted_at is null;
create index ix_expense_listed on expense (account_id, date, created_at, id) where deleted_at is null;
create index ix_expense_paid on expense (account_id, paid_at) where deleted_at is null and paid_at is not null;
create index ix_expense_reception on expense (account_id, reception_date) where deleted_at is null;
create index ix_expense_unpaid on expense (account_id, date) where deleted_at is null and paid_at is null;
create index ix_expense_vendor on expense (account_id, vendor_id, date, created_at, id) where vendor_id is not null;
create index ix_expense_vendor_category on expense (account_id, vendor_id, category) where vendor_id is not null;
create index ix_expense_vendor_key on expense (account_id, vendor_key, date, created_at, id) where deleted_at is null
    and vendor_key is not null;

create table expense_vendor (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, vendor_key text not null, count integer not null,
    constraint pk_expense_vendor primary key (account_id, vendor_key)
);
create index ix_expense_vendor_count on expense_vendor (account_id, count desc, vendor_key) where count > 0;
"""
WALLED = ("vendor", "vendor_payable", "supplier_invoice", "supplier_payment", "expense", "expense_vendor")
"""Tables of an account: only the rows of the bound one are seen and taken."""

OWN = "account_id = current_setting('ledgerkit.account_id')::uuid"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for statement in TABLES.strip().removesuffix(";").split(";\n"):
        op.execute(statement)
    for table in WALLED:
        op.execute(f"alter table {table} enable row level security")
        op.execute(f"create policy own_account on {table} using ({OWN}) with check ({OWN})")
