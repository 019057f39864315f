"""What is sold, its stock, and what a business says of itself."""

from alembic import op

revision = "0058_4"
down_revision = "0058_3"

TABLES = """
create table catalog_item (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, type text not null, name text not null, sku text, barcode text,
    description text, category text, unit text, unit_price numeric(12, 4) not null, cost numeric(12, 4),
    tax_rate numeric(6, 3), currency text not null, stock numeric(15, 4), low_stock_threshold numeric(11, 4),
    variants json not null, is_active boolean default true not null, is_low boolean default false not null,
    created_by uuid, channel text not null, name_key text not null, sku_key text, search_text text not null,
    constraint pk_catalog_item primary key (account_id, id),
    constraint ck_catalog_item_services_have_no_stock check (type = 'product' or stock is null),
    constraint ck_catalog_item_type check (type in ('product', 'service'))
);
create index ix_catalog_item_all on catalog_item (account_id, name_key, id);
create index ix_catalog_item_category on catalog_item (account_id, category) where is_active;
create index ix_catalog_item_listed on catalog_item (account_id, name_key, id) where is_active;
create index ix_catalog_item_low on catalog_item (account_id, name_key, id) where is_active and is_low;
create index ix_catalog_item_sku on catalog_item (account_id, sku_key) where sku_key is not null;
create index ix_catalog_item_type on catalog_item (account_id, type, name_key, id) where is_active;

create table stock_movement (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, item_id uuid not null, variant_index integer,
    quantity numeric(15, 4) not null, stock_after numeric(15, 4) not null, kind text not null,
    entity_type text not null, entity_id uuid not null, label text, created_by uuid, channel text not null,
    constraint pk_stock_movement primary key (account_id, id),
    constraint fk_stock_movement_account_id_item_id foreign key (account_id, item_id)
        references catalog_item (account_id, id)
);
create index ix_stock_movement_cause on stock_movement (account_id, entity_id, item_id);
create index ix_stock_movement_item on stock_movement (account_id, item_id, id);

create table catalog_import (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, hash text not null, supplier_invoice_id uuid,
    constraint pk_catalog_import primary key (account_id, hash),
    constraint fk_catalog_import_account_id_supplier_invoice_id foreign key (account_id, supplier_invoice_id)
        references supplier_invoice (account_id, id)
);

create table business_context (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, summary text default '' not null,
    constraint pk_business_context primary key (account_id)
);

create table context_entry (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null, id uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, key text not null, title text, content text not null, category text,
    "order" integer not null, updated_by uuid,
    constraint pk_context_entry primary key (account_id, id),
    constraint uq_context_entry_account_id_key unique (account_id, key)
);
"""
WALLED = ("catalog_item", "stock_movement", "catalog_import", "business_context", "context_entry")
"""Tables of an account: only the rows of the bound one are seen and taken."""
LOGS = ("stock_movement",)
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
