"""The account wall binds whoever does not own the tables, whatever their roles are called.

Earlier versions forced it on the owner too, and named the role `ledgerkit_app`, which one cluster has only once.
Rights are granted after each migration (ledgerkit.core.installation.database_setup).
"""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

TO_EVERYBODY = """
do $$
declare walled regclass;
begin
    for walled in
        select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relforcerowsecurity
    loop
        execute format('alter table %s no force row level security', walled);
        execute format('alter policy own_account on %s to public', walled);
    end loop;
end $$
"""
FORMER_ROLE = """
do $$
begin
    if exists (select from pg_roles where rolname = 'ledgerkit_app') then
        revoke all on all tables in schema public from ledgerkit_app;
        revoke all on schema public from ledgerkit_app;
    end if;
end $$
"""


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.execute(TO_EVERYBODY)
    op.execute(FORMER_ROLE)


def downgrade() -> None:
    """Nothing: an earlier version works with a wall that is not forced, once its role has its rights again."""
