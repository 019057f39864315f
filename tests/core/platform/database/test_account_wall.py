"""The account wall as the database holds it, whatever the code forgets: these statements do not name the account."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest
from sqlalchemy import TextClause, insert, text, update
from sqlalchemy.exc import DBAPIError

from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.outages import sqlstate
from ledgerkit.core.platform.database.statements import driver
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.database.tenancy import is_shared, scope_of
from ledgerkit.core.platform.database.transactions import Database, Pooling
from ledgerkit.core.sales.clients.table import client
from ledgerkit.core.sales.invoices.table import invoice
from ledgerkit.embedded_postgres.cluster import APPLICATION, SUPERUSER
from support.database import as_owner, row_counts
from support.scenes import MODULES, scene

OF_ACCOUNTS = [table for table in metadata.tables.values() if not is_shared(scope_of(table))]
APPEND_ONLY = [table for table in OF_ACCOUNTS if scope_of(table) in {"append_only", "erasable_log"}]
ERASABLE = [table for table in APPEND_ONLY if scope_of(table) == "erasable_log"]

FILLED = {table for module in MODULES for table in getattr(module, "FILLS", ())}
"""Tables that the scene writes to: an empty table would hide nothing."""

BAD_SETTING = {"22P02", "42704"}
"""An empty setting is no uuid; an unknown one is an error."""

REFUSED = "42501"
FOREIGN_KEY = "23503"
RAISED = "P0001"


@pytest.fixture
async def hers(accounts, ana) -> dict[str, UUID]:
    """Ids of ana's records."""
    ids = await accounts.copied(ana.client, "the wall", lambda: scene(ana), rows_only=True)
    return {name: UUID(known) for name, known in ids.items() if name not in {"proposal", "country"}}


async def refusal_of(database, account_id: UUID | None, statement: Any) -> str | None:
    """The SQLSTATE with which the database refuses a statement."""
    with pytest.raises(DBAPIError) as refusal:
        async with database.transaction(account_id) as connection:
            await connection.execute(statement)
    return sqlstate(refusal.value)


async def test_without_an_account_reading_is_an_error(database, hers):
    seen = {
        table.name: await refusal_of(database, None, text(f"select * from {table}"))  # noqa: S608 - our own table names
        for table in OF_ACCOUNTS
        if table.name in FILLED
    }

    assert seen.keys() == FILLED
    assert set(seen.values()) <= BAD_SETTING


async def test_another_account_sees_no_row(kernel, database, hers):
    filled = await row_counts(kernel)

    async with database.transaction(uuid4()) as connection:
        seen = {
            table.name: await connection.scalar(text(f"select count(*) from {table}"))  # noqa: S608 - our own table names
            for table in OF_ACCOUNTS
        }

    assert {name for name in seen if filled[name]} == FILLED
    assert set(seen.values()) == {0}


@pytest.mark.parametrize(
    "query",
    [
        "select * from invoice",
        "select count(*) from client",
        "select 1 from invoice i join client c on c.id = i.client_id",
        "with all_of_it as (select * from activity) select * from all_of_it",
    ],
)
async def test_plain_sql_is_bound_as_well(database, hers, query):
    async with database.transaction(uuid4()) as connection:
        found = (await connection.execute(text(query))).all()

    assert found in ([], [(0,)])


async def test_another_account_changes_and_removes_nothing(database, hers):
    async with database.transaction(uuid4()) as connection:
        changed = await connection.execute(text("update invoice set notes = 'mine'"))
        removed = await connection.execute(text("delete from client"))

    assert (changed.rowcount, removed.rowcount) == (0, 0)


async def test_rows_cannot_be_written_into_another_account(database, hers):
    plain = {"name": "x", "country": "ES", "name_key": "x", "search_text": "x"}
    smuggled = insert(client).values({"account_id": hers["team"], "id": new_id(), **plain})

    with pytest.raises(DBAPIError) as refusal:
        async with database.transaction(uuid4()) as connection:
            await connection.execute(smuggled)

    assert sqlstate(refusal.value) == REFUSED


async def test_rows_cannot_be_moved_into_another_account(database, hers):
    with pytest.raises(DBAPIError) as refusal:
        async with database.transaction(hers["team"]) as connection:
            await connection.execute(text("update client set account_id = gen_random_uuid()"))

    assert sqlstate(refusal.value) == REFUSED


async def test_a_foreign_key_cannot_point_into_another_account(database, hers, berta):
    own = await berta.invoice()
    pointed = update(invoice).where(invoice.c.id == UUID(own["id"])).values(client_id=hers["client"])

    with pytest.raises(DBAPIError) as refusal:
        async with database.transaction(UUID(berta.team["id"])) as connection:
            await connection.execute(pointed)

    assert sqlstate(refusal.value) == FOREIGN_KEY


async def test_rows_of_append_only_tables_are_never_changed(database, hers):
    for table in APPEND_ONLY:
        for statement in (f"update {table} set created_at = now()", f"delete from {table}", f"truncate {table}"):  # noqa: S608 - our own table names
            assert await refusal_of(database, hers["team"], text(statement)) == REFUSED, statement


async def test_a_log_is_never_shortened_while_its_account_is_open(kernel, database, hers):
    before = await row_counts(kernel)
    assert {table.name for table in ERASABLE} <= FILLED

    for table in ERASABLE:
        assert await refusal_of(database, hers["team"], erased(table.name)) == RAISED

    assert await row_counts(kernel) == before


async def test_the_logs_of_a_closed_account_are_erased_and_nobody_elses(kernel, database, hers, berta):
    await berta.invoice()
    async with as_owner(kernel) as connection:
        await connection.execute(text("update account set closed_at = now() where id = :id"), {"id": hers["team"]})
    others = {table.name: await rows_of_others(kernel, table.name, hers["team"]) for table in ERASABLE}
    assert others["activity"] > 0

    async with database.transaction(hers["team"]) as connection:
        for table in ERASABLE:
            await connection.execute(erased(table.name))

    left = await row_counts(kernel)
    assert {table.name: left[table.name] for table in ERASABLE} == others


async def test_only_logs_are_erased(kernel, database, hers):
    async with as_owner(kernel) as connection:
        await connection.execute(text("update account set closed_at = now() where id = :id"), {"id": hers["team"]})

    for table in OF_ACCOUNTS:
        if table not in ERASABLE:
            assert await refusal_of(database, hers["team"], erased(table.name)) == RAISED, table


def erased(log: str) -> TextClause:
    return text("select erase_log(:log)").bindparams(log=log)


async def rows_of_others(kernel, table: str, account_id: UUID) -> int:
    async with as_owner(kernel) as connection:
        query = text(f"select count(*) from {table} where account_id <> :id")  # noqa: S608 - our own table names
        return await connection.scalar(query, {"id": account_id})


async def test_the_append_only_tables_are_those_of_logs_and_fiscal_records():
    assert {table.name for table in APPEND_ONLY} == {
        "activity",
        "cash_movement",
        "filed_amount",
        "search_word",
        "fiscal_record",
        "fiscal_submission",
        "fiscal_answer",
        "fiscal_outcome",
        "fiscal_query",
        "fiscal_query_answer",
        "fiscal_event",
        "fiscal_demand",
        "fiscal_demand_message",
        "fiscal_demand_answer",
        "fiscal_lost_number",
        "mail_log",
        "stock_movement",
        "supplier_payment",
    }


@pytest.fixture
async def pooled(fresh_url) -> AsyncIterator[Database]:
    """The product's own sessions, as they log in."""
    made = Database(fresh_url, Pooling(size=2))
    yield made
    await made.close()


async def outcome(session: Any, *statements: str) -> str | list[Any]:
    """The SQLSTATE of the first statement that is refused, else what the last one finds."""
    found: list[Any] = []
    for statement in statements:
        try:
            found = await driver(session).fetch(statement)
        except asyncpg.PostgresError as error:
            return str(error.sqlstate)
    return [tuple(row) for row in found]


SESSIONS = {
    "writing": lambda pooled: pooled.writers.taken(),
    "reading": lambda pooled: pooled.reading(uuid4()),
    "asking": lambda pooled: pooled.asking(),
}


@pytest.mark.parametrize("way", SESSIONS)
async def test_no_pooled_session_can_become_another_role(pooled, way):
    async with SESSIONS[way](pooled) as session:
        await outcome(session, "set default_transaction_read_only = off")
        assert await outcome(session, "reset role", "select current_user, session_user") == [(APPLICATION,) * 2]
        assert await outcome(session, "reset session authorization", "select current_user") == [(APPLICATION,)]
        assert await outcome(session, "set role none", "select current_user") == [(APPLICATION,)]
        for other in (SUPERUSER, "pg_write_all_data", "pg_execute_server_program"):
            assert await outcome(session, f"set role {other}") == REFUSED
            assert await outcome(session, f"set session authorization {other}") == REFUSED
        assert await outcome(session, f"grant {SUPERUSER} to {APPLICATION}") == REFUSED
        assert await outcome(session, f"alter role {APPLICATION} superuser") == REFUSED
        assert await outcome(session, f"alter role {APPLICATION} bypassrls") == REFUSED
        assert await outcome(session, "create role stranger") == REFUSED


FORBIDDEN = [
    "alter table invoice disable row level security",
    "alter table invoice owner to ledgerkit_app",
    "alter table fiscal_record disable trigger all",
    "alter policy own_account on invoice using (true)",
    "drop policy own_account on invoice",
    "drop table fiscal_record",
    "truncate invoice",
    "truncate fiscal_record",
    "update fiscal_record set position = 1",
    "delete from fiscal_record",
    "update activity set action = 'x'",
    "delete from fiscal_event",
    "update alembic_version set version_num = 'x'",
    "create table mine (id int)",
    "create schema mine",
    "create function mine() returns int language sql as 'select 1'",
    "set session_replication_role = replica",
    "copy fiscal_record to program 'cat'",
    "select pg_read_file('PG_VERSION')",
    "select lo_import('/etc/passwd')",
    "comment on table invoice is 'mine'",
]


async def test_no_pooled_session_can_take_the_wall_down_or_change_what_is_kept(pooled):
    account = f"set ledgerkit.account_id = '{uuid4()}'"

    async with pooled.writers.taken() as session:
        outcomes = {statement: await outcome(session, account, statement) for statement in FORBIDDEN}

    assert outcomes == dict.fromkeys(FORBIDDEN, REFUSED)


async def test_no_pooled_session_can_give_itself_rights(pooled):
    asked = "select has_table_privilege('fiscal_record', 'update')"

    async with pooled.writers.taken() as session:
        assert await outcome(session, f"grant update on fiscal_record to {APPLICATION}", asked) == [(False,)]


async def test_row_security_that_is_switched_off_answers_with_an_error(pooled):
    account = f"set ledgerkit.account_id = '{uuid4()}'"

    async with pooled.writers.taken() as session:
        assert await outcome(session, account, "select from invoice") == []
        assert await outcome(session, account, "set row_security = off", "select from invoice") == REFUSED


async def test_the_account_does_not_outlive_its_transaction(pooled):
    async with pooled.transaction(uuid4()):
        pass

    async with pooled.writers.taken() as connection:
        account = await connection.scalar(text("select current_setting('ledgerkit.account_id', true)"))

    assert account == ""
