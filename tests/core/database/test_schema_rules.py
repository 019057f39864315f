"""The rules that keep one account on one shard and inside its wall, over every table (scale.md, rules 1-7 and 14)."""

import pytest
from sqlalchemy import Computed, Enum, ForeignKeyConstraint, Identity, Table, UniqueConstraint, Uuid, text
from sqlalchemy.dialects.postgresql import ExcludeConstraint

from ledgerkit.core.database.postgres.cluster import APPLICATION
from ledgerkit.core.database.tables import metadata
from ledgerkit.core.database.tenancy import is_shared, rights_of, scope_of
from ledgerkit.core.installation.all_tables import MODELS
from support.database import as_owner

TABLES = list(metadata.tables.values())
OF_ACCOUNTS = [table for table in TABLES if not is_shared(scope_of(table))]

REFERENCE = {
    "account",
    "app_user",
    "revoked_login",
    "mailed_link",
    "oauth_client",
    "oauth_request",
    "oauth_login",
    "oauth_grant",
    "oauth_code",
    "oauth_token",
    "data_export",
    "issuer_series",
    "membership",
    "invitation",
    "api_key",
    "scoped_key",
    "share_link",
    "fiscal_keeper",
    "fiscal_sender",
    "fiscal_database",
    "fiscal_declaration",
    "job",
    "job_schedule",
}
"""Tables of no account, on purpose: looked up before one is known, or swept over all of them."""


def names(table: Table) -> str:
    return str(table.name)


def test_only_the_named_tables_belong_to_no_account():
    assert MODELS
    assert {table.name for table in TABLES if is_shared(scope_of(table))} == REFERENCE


@pytest.mark.parametrize("table", OF_ACCOUNTS, ids=names)
def test_keys_of_an_accounts_table_begin_with_the_account(table):
    assert next(iter(table.primary_key.columns)).name == "account_id"
    for one in table.constraints:
        if isinstance(one, UniqueConstraint | ForeignKeyConstraint):
            assert list(one.columns)[0].name == "account_id", one.name  # noqa: RUF015 - columns are no iterator
    for index in table.indexes:
        assert index.expressions[0].name == "account_id", index.name


@pytest.mark.parametrize("table", OF_ACCOUNTS, ids=names)
def test_foreign_keys_stay_inside_the_account(table):
    for key in table.foreign_key_constraints:
        targets = [element.target_fullname.partition(".")[2] for element in key.elements]
        assert targets == ["account_id", "id"], key.name


@pytest.mark.parametrize("table", OF_ACCOUNTS, ids=names)
def test_the_account_is_stamped_by_the_database(table):
    column = table.c.account_id

    assert not column.nullable
    assert isinstance(column.type, Uuid)
    assert "ledgerkit.account_id" in str(column.server_default.arg)


@pytest.mark.parametrize("table", TABLES, ids=names)
def test_nothing_that_a_distributed_engine_lacks(table):
    for column in table.columns:
        assert not isinstance(column.type, Enum), column
        assert not isinstance(column.default, Identity), column
        assert not isinstance(column.server_default, Identity), column
        assert column.identity is None, column
        assert column.computed is None or (isinstance(column.computed, Computed) and column.computed.persisted), column
        assert column.autoincrement is not True, column
    for one in table.constraints:
        assert not isinstance(one, ExcludeConstraint), one
        assert not getattr(one, "deferrable", None), one


@pytest.mark.parametrize("table", TABLES, ids=names)
def test_ids_are_uuids_without_a_default_of_the_database(table):
    if "id" in table.c and table.name not in {"job", "job_schedule"}:
        assert isinstance(table.c.id.type, Uuid)
        assert table.c.id.server_default is None


# ---------------------------------------------------------------- the migrated database agrees


async def rows(kernel, query: str) -> list[tuple[object, ...]]:
    async with as_owner(kernel) as connection:
        return [tuple(row) for row in await connection.execute(text(query))]


async def test_the_database_has_exactly_these_tables(kernel):
    found = await rows(kernel, "select tablename from pg_tables where schemaname = 'public'")

    assert {name for (name,) in found} - {"alembic_version"} == {table.name for table in TABLES}


async def test_row_security_binds_all_but_the_owner_on_exactly_the_accounts_tables(kernel):
    query = (
        "select relname, relrowsecurity, relforcerowsecurity from pg_class"
        " where relnamespace = 'public'::regnamespace and relkind = 'r'"
    )

    found = {name: (on, forced) for name, on, forced in await rows(kernel, query) if name != "alembic_version"}

    assert found == {table.name: (not is_shared(scope_of(table)), False) for table in TABLES}


async def test_each_accounts_table_has_one_policy_for_reading_and_writing(kernel):
    found = await rows(
        kernel,
        "select tablename, policyname, permissive, roles::text[], cmd, qual, with_check from pg_policies"
        " where cmd <> 'DELETE'",
    )

    assert {row[0] for row in found} == {table.name for table in OF_ACCOUNTS}
    assert len(found) == len(OF_ACCOUNTS)
    for table, policy, permissive, roles, command, reads, writes in found:
        assert (policy, permissive, roles, command) == ("own_account", "PERMISSIVE", ["public"], "ALL"), table
        assert reads == writes == "(account_id = (current_setting('ledgerkit.account_id'::text))::uuid)", table


async def test_logs_lose_rows_of_closed_accounts_only(kernel):
    found = await rows(kernel, "select tablename, policyname, permissive, qual from pg_policies where cmd = 'DELETE'")

    assert {row[0] for row in found} == {table.name for table in TABLES if scope_of(table) == "erasable_log"}
    for table, policy, permissive, condition in found:
        assert (policy, permissive) == ("closed_account", "RESTRICTIVE"), table
        assert "account.closed_at IS NOT NULL" in condition, table


async def test_nobody_but_the_applications_role_holds_rights_and_it_those_of_each_scope(kernel):
    query = (
        "select table_name, privilege_type, grantee from information_schema.role_table_grants"
        " where table_schema = 'public' and grantee <> current_user"
    )
    held: dict[object, set[object]] = {}
    for table, right, grantee in await rows(kernel, query):
        held.setdefault((table, grantee), set()).add(right)

    expected = {table.name: rights_of(scope_of(table)) for table in TABLES} | {"alembic_version": {"SELECT"}}
    assert held == {(table, APPLICATION): rights for table, rights in expected.items()}


async def test_the_applications_role_can_only_log_in(kernel):
    query = (
        "select rolcanlogin, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolreplication,"
        " exists (select from pg_auth_members where member = pg_roles.oid) from pg_roles"
        " where rolname = 'ledgerkit_app'"
    )

    assert await rows(kernel, query) == [(True, *[False] * 6)]


async def test_the_database_has_no_triggers_sequences_or_enums(kernel):
    assert await rows(kernel, "select tgname from pg_trigger where not tgisinternal") == []
    assert await rows(kernel, "select sequencename from pg_sequences") == []
    assert await rows(kernel, "select typname from pg_type where typtype = 'e'") == []
    assert await rows(kernel, "select extname from pg_extension where extname <> 'plpgsql'") == []
