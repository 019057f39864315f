"""Accounts go live, and what they tried out is set aside in an archive account."""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

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


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("account", sa.Column("live_since", sa.DateTime(timezone=True), nullable=True))
    op.add_column("account", sa.Column("archive_of", sa.Uuid(), nullable=True))
    op.create_foreign_key(op.f("fk_account_archive_of"), "account", "account", ["archive_of"], ["id"])
    op.create_index("uq_account_archive_of", "account", ["archive_of"], unique=True)
    op.execute("drop function if exists set_trial_aside(uuid, jsonb)")
    op.execute(SET_TRIAL_ASIDE)
    op.execute("revoke all on function set_trial_aside(uuid, jsonb) from public")


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.execute("drop function set_trial_aside(uuid, jsonb)")
    op.drop_index("uq_account_archive_of", table_name="account")
    op.drop_constraint(op.f("fk_account_archive_of"), "account", type_="foreignkey")
    op.drop_column("account", "archive_of")
    op.drop_column("account", "live_since")
