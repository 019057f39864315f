"""The account wall as the database holds it, whatever the code forgets."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import insert, select, text, update
from sqlalchemy.exc import DBAPIError

from ledgerkit.core.clients.models import client
from ledgerkit.core.db import Database, Pooling, metadata, new_id, sqlstate
from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.tenancy import is_shared, scope_of
from support.database import row_counts
from support.scenes import MODULES, scene

OF_ACCOUNTS = [table for table in metadata.tables.values() if not is_shared(scope_of(table))]
APPEND_ONLY = [table for table in OF_ACCOUNTS if scope_of(table) == "append_only"]

FILLED = {table for module in MODULES for table in getattr(module, "FILLS", ())}
"""What the scene writes to: an empty table would hide nothing."""

BAD_SETTING = {"22P02", "42704"}
"""An empty setting is no uuid; an unknown one is an error."""

REFUSED = "42501"
FOREIGN_KEY = "23503"


@pytest.fixture
async def hers(ana) -> dict[str, UUID]:
    """Ids of ana's records."""
    return {name: UUID(known) for name, known in (await scene(ana)).items()}


async def refusal_of(database, account_id: UUID | None, statement: Any) -> str | None:
    """The SQLSTATE with which the database refuses a statement."""
    with pytest.raises(DBAPIError) as refusal:
        async with database.transaction(account_id) as connection:
            await connection.execute(statement)
    return sqlstate(refusal.value)


async def test_without_an_account_reading_is_an_error(database, hers):
    seen = {
        table.name: await refusal_of(database, None, select(table)) for table in OF_ACCOUNTS if table.name in FILLED
    }

    assert seen.keys() == FILLED
    assert set(seen.values()) <= BAD_SETTING


async def test_another_account_sees_no_row(kernel, database, hers):
    filled = await row_counts(kernel)

    async with database.transaction(uuid4()) as connection:
        seen = {table.name: len((await connection.execute(select(table))).all()) for table in OF_ACCOUNTS}

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
        changed = await connection.execute(update(invoice).values(notes="mine"))
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
            await connection.execute(update(client).values(account_id=uuid4()))

    assert sqlstate(refusal.value) == REFUSED


async def test_a_foreign_key_cannot_point_into_another_account(database, hers, berta):
    own = await berta.invoice()
    pointed = update(invoice).where(invoice.c.id == UUID(own["id"])).values(client_id=hers["client"])

    with pytest.raises(DBAPIError) as refusal:
        async with database.transaction(UUID(berta.team["id"])) as connection:
            await connection.execute(pointed)

    assert sqlstate(refusal.value) == FOREIGN_KEY


async def test_what_is_append_only_is_never_changed(database, hers):
    for table in APPEND_ONLY:
        for statement in (f"update {table} set created_at = now()", f"delete from {table}", f"truncate {table}"):  # noqa: S608 - our own table names
            assert await refusal_of(database, hers["team"], text(statement)) == REFUSED, statement


async def test_what_tells_of_the_past_is_append_only():
    assert {table.name for table in APPEND_ONLY} == {
        "activity",
        "cash_movement",
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
        "mail_log",
        "stock_movement",
        "supplier_payment",
    }


@pytest.mark.parametrize(
    "statement",
    [
        "alter table invoice disable row level security",
        "drop policy own_account on invoice",
        "create table mine (id int)",
        "reset role; select 1",
    ],
)
async def test_the_applications_role_cannot_take_the_wall_down(database, hers, statement):
    with pytest.raises(DBAPIError):
        async with database.transaction(hers["team"]) as connection:
            await connection.execute(text(statement))


async def test_the_account_does_not_outlive_its_transaction(fresh_url):
    from_pool = Database(fresh_url, Pooling(size=2))
    async with from_pool.transaction(uuid4()):
        pass

    async with from_pool.writers.taken() as connection:
        role, account = (
            await connection.execute(text("select current_user, current_setting('ledgerkit.account_id', true)"))
        ).one()
    await from_pool.close()

    assert (role != "ledgerkit_app", account or "") == (True, "")
