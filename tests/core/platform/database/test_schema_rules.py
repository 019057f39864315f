"""The rules that keep one account on one shard and inside its wall, over every table (scale.md, rules 1-7 and 14)."""

from collections.abc import Iterator

from sqlalchemy import Column, Computed, Enum, ForeignKeyConstraint, Identity, Table, UniqueConstraint, Uuid, text
from sqlalchemy.dialects.postgresql import ExcludeConstraint

from ledgerkit.core.operation.installation.database.all_tables import MODELS
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.database.tenancy import is_shared, rights_of, scope_of
from ledgerkit.embedded_postgres.cluster import APPLICATION
from support.database import as_owner

TABLES = list(metadata.tables.values())
OF_ACCOUNTS = [table for table in TABLES if not is_shared(scope_of(table))]

REFERENCE = {
    "account": "asked for who may enter it",
    "app_user": "a person has no account of their own alone",
    "revoked_login": "asked before an account is known",
    "mailed_link": "asked before an account is known",
    "oauth_client": "a program that people of many accounts use",
    "oauth_request": "asked before a person has chosen the account",
    "oauth_login": "asked before a person has chosen the account",
    "oauth_grant": "asked before an account is known",
    "oauth_code": "asked before an account is known",
    "oauth_token": "asked before an account is known",
    "data_export": "of a person, with all accounts that they own",
    "issuer_series": "two accounts of one issuer may not number alike",
    "membership": "asked for the accounts of a person",
    "invitation": "asked for by an address that has no account yet",
    "api_key": "asked before an account is known",
    "scoped_key": "asked before an account is known",
    "share_link": "asked by the public, who knows no account",
    "fiscal_signed_chain": "swept for the chains of all accounts that are due",
    "fiscal_sender": "swept for the chains of all accounts that are due",
    "fiscal_database": "of the whole database",
    "fiscal_declaration": "of the whole installation",
    "messaging_bot": "of the whole installation",
    "messaging_link": "asked before it is known whose message arrives",
    "messaging_link_code": "asked before it is known whose code it is",
    "messaging_outgoing": "swept for the chats of all accounts",
    "messaging_preferences": "of a membership, read by whoever sends to the chats of all accounts",
    "messaging_update": "stored before it is known whose message it is",
    "job": "claimed by whoever is free, for all accounts",
    "job_schedule": "of the whole installation",
}
"""Tables of no account, on purpose, and why: what may be read across accounts stands here."""


def test_only_the_named_tables_belong_to_no_account():
    assert MODELS
    assert {table.name for table in TABLES if is_shared(scope_of(table))} == REFERENCE.keys()


def test_keys_of_an_accounts_table_begin_with_the_account():
    first = {(table.name, key): columns[0] for table in OF_ACCOUNTS for key, columns in keys_of(table)}

    assert {key: column for key, column in first.items() if column != "account_id"} == {}


def keys_of(table: Table) -> Iterator[tuple[str, list[str]]]:
    """Name and columns of the primary key, of unique and foreign keys and of indexes."""
    yield "primary key", [column.name for column in table.primary_key.columns]
    for one in table.constraints:
        if isinstance(one, UniqueConstraint | ForeignKeyConstraint):
            yield str(one.name), [column.name for column in one.columns]
    for index in table.indexes:
        yield str(index.name), [getattr(expression, "name", "") for expression in index.expressions]


def test_foreign_keys_stay_inside_the_account():
    targets = {
        (table.name, key.name): [element.target_fullname.partition(".")[2] for element in key.elements]
        for table in OF_ACCOUNTS
        for key in table.foreign_key_constraints
    }

    assert {key: columns for key, columns in targets.items() if columns != ["account_id", "id"]} == {}


def test_the_account_is_stamped_by_the_database():
    assert [table.name for table in OF_ACCOUNTS if not is_stamped(table.c.account_id)] == []


def is_stamped(column: Column) -> bool:
    default = str(column.server_default.arg) if column.server_default is not None else ""
    return not column.nullable and isinstance(column.type, Uuid) and "ledgerkit.account_id" in default


def test_nothing_that_a_distributed_engine_lacks():
    columns = [column for table in TABLES for column in table.columns]
    constraints = [(table.name, one) for table in TABLES for one in table.constraints]

    assert [str(column) for column in columns if is_numbered_or_computed(column) or isinstance(column.type, Enum)] == []
    assert [
        (table, one.name)
        for table, one in constraints
        if isinstance(one, ExcludeConstraint) or getattr(one, "deferrable", None)
    ] == []


def is_numbered_or_computed(column: Column) -> bool:
    """Return True when the database makes the value, but for a stored computation."""
    defaults = (column.default, column.server_default, column.identity)
    is_numbered = column.autoincrement is True or any(isinstance(one, Identity) for one in defaults)
    is_virtual = column.computed is not None and not (
        isinstance(column.computed, Computed) and column.computed.persisted
    )
    return is_numbered or is_virtual


def test_ids_are_uuids_without_a_default_of_the_database():
    ids = {table.name: table.c.id for table in TABLES if "id" in table.c}

    assert {
        name for name, id_ in ids.items() if not isinstance(id_.type, Uuid) or id_.server_default is not None
    } == set()


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
        "select tablename, policyname, permissive, roles::text[], cmd, qual, with_check from pg_policies",
    )

    assert {row[0] for row in found} == {table.name for table in OF_ACCOUNTS}
    assert len(found) == len(OF_ACCOUNTS)
    for table, policy, permissive, roles, command, reads, writes in found:
        assert (policy, permissive, roles, command) == ("own_account", "PERMISSIVE", ["public"], "ALL"), table
        assert reads == writes == "(account_id = (current_setting('ledgerkit.account_id'::text))::uuid)", table


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


ASKING = "select polname from pg_policy where concat(polqual, polwithcheck) ~ 'SUBLINK'"
"""Policies whose condition has a subquery, which a distributed engine refuses."""


async def test_no_policy_asks_another_table(kernel):
    assert await rows(kernel, ASKING) == []
    async with as_owner(kernel) as connection:
        await connection.execute(text("create policy asks on client using (exists (select from account))"))
    assert await rows(kernel, ASKING) == [("asks",)]
