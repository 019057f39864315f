"""Tax declarations, and the trial that is set aside when an account goes live."""

from alembic import op

revision = "0058"
down_revision = "0058_8"

TABLES = """
create table tax_profile (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, country text not null, profile json not null,
    constraint pk_tax_profile primary key (account_id, country)
);

create table tax_declaration (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, id uuid not null, country text not null, form text not null,
    year integer not null, period text not null, amendment integer default 0 not null, complementary_of uuid,
    period_start date not null, period_end date not null, status text default 'draft' not null,
    origin text default 'generated' not null, boxes json not null, manual_overrides json not null,
    effective_boxes json not null, output_vat numeric(15, 2) not null, input_vat numeric(15, 2) not null,
    result numeric(15, 2) not null, result_kind text not null, declaration_types json not null, declaration_type text,
    iban text, amends json, invoice_count integer not null, expense_count integer not null, notes text,
    warnings json not null, changes json not null, layout_version text not null, due_date date,
    generated_at timestamptz not null, submitted_at timestamptz, submitted_by uuid, file_name text,
    file_media_type text, file_sha256 text,
    constraint pk_tax_declaration primary key (account_id, id),
    constraint ck_tax_declaration_amendment check ((amendment = 0) = (complementary_of is null)),
    constraint ck_tax_declaration_file_of_submitted check (file_sha256 is null or (status = 'submitted'
        and origin = 'generated')),
    constraint ck_tax_declaration_origin check (origin in ('generated', 'external')),
    constraint ck_tax_declaration_status check (status in ('draft', 'submitted')),
    constraint ck_tax_declaration_submitted_whole check ((status = 'submitted') = (submitted_at is not null)),
    constraint fk_tax_declaration_account_id_complementary_of foreign key (account_id, complementary_of)
        references tax_declaration (account_id, id),
    constraint uq_tax_declaration_account_id_country_form_year_period__1f5c
        unique (account_id, country, form, year, period, amendment)
);

create table tax_declaration_content (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, updated_at timestamptz default now() not null,
    version integer default 1 not null, declaration_id uuid not null, documents json not null, evidence json not null,
    records json not null, file bytea,
    constraint pk_tax_declaration_content primary key (account_id, declaration_id),
    constraint fk_tax_declaration_content_account_id_declaration_id foreign key (account_id, declaration_id)
        references tax_declaration (account_id, id)
);
-- To compress megabytes of ids takes longer than to store them.
alter table tax_declaration_content alter column documents set storage external;
alter table tax_declaration_content alter column evidence set storage external;

create table filed_amount (
    account_id uuid default current_setting('ledgerkit.account_id')::uuid not null,
    created_at timestamptz default now() not null, declaration_id uuid not null, document_id uuid not null,
    box text not null, amount numeric not null,
    constraint pk_filed_amount primary key (account_id, declaration_id, document_id, box),
    constraint fk_filed_amount_account_id_declaration_id foreign key (account_id, declaration_id)
        references tax_declaration (account_id, id)
);
create index ix_filed_amount_document on filed_amount (account_id, document_id);
"""
WALLED = ("tax_profile", "tax_declaration", "tax_declaration_content", "filed_amount")
"""Tables of an account: only the rows of the bound one are seen and taken."""
LOGS = ("filed_amount",)
"""Their rows go with their account, once that is closed."""

SET_TRIAL_ASIDE = """
create function set_trial_aside(archive uuid, parts jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    live constant uuid := current_setting('ledgerkit.account_id')::uuid;
    part record;
    others text;
    same_key text;
begin
    if not exists (select from public.account where account.id = archive and account.archive_of = live) then
        raise exception 'account % is not the archive of account %', archive, live;
    end if;
    if exists (
        select from public.fiscal_record r where r.account_id = live and r.environment not in ('sandbox', 'test')
    ) then
        raise exception 'account % has records that are not of a trial', live;
    end if;
    for part in
        select item ->> 'table' as name, item ->> 'pattern' as pattern, (item ->> 'copiesAll')::boolean as copies_all,
            case when item ->> 'column' is null then '' else format(' and %I::text ~ $3', item ->> 'column') end
                as filter
        from jsonb_array_elements(parts) with ordinality as listed(item, place) order by place
    loop
        if not exists (
            select from pg_policy p
            where p.polrelid = to_regclass(format('public.%I', part.name)) and p.polname = 'own_account'
        ) then
            raise exception '% is no table of an account', part.name;
        end if;
        select string_agg(quote_ident(attname), ', ' order by attnum) into others from pg_attribute
        where attrelid = to_regclass(format('public.%I', part.name)) and attnum > 0 and not attisdropped
            and attgenerated = '' and attname <> 'account_id';
        execute format(
            'insert into public.%1$I (account_id, %2$s)'
            ' select $1, %2$s from public.%1$I where account_id = $2%3$s for update',
            part.name, others, case when part.copies_all then '' else part.filter end
        ) using archive, live, part.pattern;
    end loop;
    for part in
        select item ->> 'table' as name, item ->> 'pattern' as pattern,
            case when item ->> 'column' is null then '' else format(' and %I::text ~ $3', item ->> 'column') end
                as filter
        from jsonb_array_elements(parts) with ordinality as listed(item, place)
        where (item ->> 'moves')::boolean order by place desc
    loop
        select coalesce(string_agg(format('copied.%1$I = %2$I.%1$I', attname, part.name), ' and '), 'true')
        into same_key
        from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
        where i.indrelid = to_regclass(format('public.%I', part.name)) and i.indisprimary
            and a.attname <> 'account_id';
        execute format(
            'delete from public.%1$I where account_id = $2%2$s'
            ' and exists (select from public.%1$I copied where copied.account_id = $1 and %3$s)',
            part.name, part.filter, same_key
        ) using archive, live, part.pattern;
    end loop;
end
$$
"""
"""The server's role may neither change nor delete a fiscal record. This copies rows of the bound account into its own
archive and then takes them out of the account: what they say stays as it is. It does so for an account without records
of production only, parents first, and takes out no row that it has not copied and locked.
"""

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
    op.execute("drop function if exists set_trial_aside(uuid, jsonb)")
    op.execute(SET_TRIAL_ASIDE)
    op.execute("revoke all on function set_trial_aside(uuid, jsonb) from public")
