"""Conflicts and outages that PostgreSQL really reports, and how the gate copes with them."""

import asyncio
from contextlib import asynccontextmanager
from uuid import UUID

import asyncpg
import pytest
from sqlalchemy import text

from support.database import as_owner
from support.office import eventually, opened
from support.periods import YEAR

OPERATIONS = {
    "pay": lambda api, invoice: api.request("PATCH", f"/api/invoices/{invoice['id']}/pay"),
    "emit": lambda api, invoice: api.request("POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]}),
}
EACH = [pytest.param(OPERATIONS["pay"], id="pay", marks=pytest.mark.whole), pytest.param(OPERATIONS["emit"], id="emit")]


@asynccontextmanager
async def stranger(url: str, **settings: str):
    """Another connection to the same database, with a transaction open."""
    connection = await asyncpg.connect(url.replace("+asyncpg", ""), server_settings=settings)
    try:
        await connection.execute("begin")
        yield connection
    finally:
        await connection.close()


async def waiting(connection) -> bool:
    """Return True when a session waits for a lock that this one holds."""
    query = "select count(*) from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))"
    return await connection.fetchval(query) > 0


async def deadlocks(office) -> int:
    """Number of deadlocks that PostgreSQL has counted in this database."""
    [row] = await office.rows("select deadlocks from pg_stat_database where datname = current_database()")
    return row[0]


async def numbers(api) -> list[str]:
    return sorted(invoice["number"] for invoice in await api.get("/api/invoices") if invoice["number"])


@pytest.mark.parametrize("operation", EACH)
async def test_the_victim_of_a_deadlock_is_tried_again_and_succeeds(url, tmp_path, cheap_passwords, operation):
    async with opened(url, tmp_path, cheap_passwords) as office:
        ana = await office.account()
        first, second = await ana.invoice(), await ana.invoice()
        await ana.patch(f"/api/invoices/{first['id']}/pay")
        async with stranger(url, deadlock_timeout="60s") as other:
            await other.execute("select 1 from invoice_counter for update")
            request = asyncio.create_task(operation(ana, second))
            await eventually(lambda: waiting(other))
            await other.fetch("select 1 from invoice where id = $1 for update", UUID(second["id"]))
            await other.execute("rollback")

        answer = await request

        assert answer.status_code == 200
        await eventually(lambda: deadlocks(office))
        assert await numbers(ana) == [f"F{YEAR}-0001", f"F{YEAR}-0002"]


async def test_the_chain_is_locked_first_and_the_number_taken_after(url, tmp_path, cheap_passwords):
    """Numbers follow the order of the chain, and who waits for the chain holds up nobody who only needs a number."""
    async with opened(url, tmp_path, cheap_passwords, einvoice_wait=20) as office:
        ana = await office.account()
        drafts = [await ana.invoice() for _ in range(3)]
        await ana.post("/api/einvoice/emit", {"invoiceId": drafts[0]["id"]})
        async with stranger(url) as other:
            await other.execute("select 1 from fiscal_installation for update")
            emission = asyncio.create_task(OPERATIONS["emit"](ana, drafts[1]))
            await eventually(lambda: waiting(other))

            free = await other.fetch("select next from invoice_counter for update skip locked")
            await other.execute("rollback")

        assert [row["next"] for row in free] == [2]
        assert (await emission).json()["number"] == f"F{YEAR}-0002"


@pytest.mark.parametrize("operation", EACH)
async def test_who_cannot_be_serialised_is_tried_again_and_succeeds(url, tmp_path, cheap_passwords, operation):
    async with opened(url, tmp_path, cheap_passwords) as office:
        ana = await office.account()
        first, second = await ana.invoice(), await ana.invoice()
        await ana.patch(f"/api/invoices/{first['id']}/pay")
        await isolate(office, "repeatable read")
        async with stranger(url) as other:
            await other.execute("update invoice_counter set version = version + 1")
            request = asyncio.create_task(operation(ana, second))
            await eventually(lambda: waiting(other))
            await other.execute("commit")

        answer = await request

        assert answer.status_code == 200
        assert await numbers(ana) == [f"F{YEAR}-0001", f"F{YEAR}-0002"]


async def test_who_approves_one_version_does_not_fail_another_after_a_deadlock(url, tmp_path, cheap_passwords):
    """The attempt that was the victim had begun the act; the next one finds a card of which it has done nothing."""
    async with opened(url, tmp_path, cheap_passwords) as office:
        ana = await office.account()
        client = await ana.post("/api/clients", {"name": "Norte"})
        change = {"operation": "clients.update", "arguments": {"id": client["id"], "city": "Bilbao"}}
        proposal = await ana.post("/api/approvals", change)
        path = f"/api/approvals/{proposal['id']}"
        version = (await ana.request("GET", path)).headers["ETag"]
        async with stranger(url, deadlock_timeout="60s") as other:
            await other.execute("select 1 from client for update")
            request = asyncio.create_task(ana.request("POST", f"{path}/approve", None, **{"If-Match": version}))
            await eventually(lambda: waiting(other))
            await other.execute("update approval set version = version + 1")
            await other.execute("commit")

        answer = await request

        assert answer.json()["code"] == "VERSION_MISMATCH"
        assert await eventually(lambda: deadlocks(office)) is None
        shown = await ana.get(path)
        assert (shown["status"], shown["problem"]) == ("pending", None)
        assert (await ana.post(f"{path}/approve"))["status"] == "done"


async def isolate(office, level: str) -> None:
    """An operator's setting, in force for the connections made from now on."""
    async with as_owner(office.kernel) as connection:
        await connection.execute(text(f"alter database {office.name} set default_transaction_isolation to '{level}'"))
    await office.kernel.database.close()


async def test_a_statement_that_is_cancelled_stays_cancelled_and_costs_nothing_else(url, tmp_path, cheap_passwords):
    async with opened(url, tmp_path, cheap_passwords) as office:
        database = office.kernel.database
        begun = asyncio.Event()

        async def sleep() -> None:
            async with database.transaction(None) as connection:
                begun.set()
                await connection.execute(text("select pg_sleep(60)"))

        task = asyncio.create_task(sleep())
        await begun.wait()
        await eventually(lambda: asleep(office))

        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        await database.ready()


async def asleep(office) -> bool:
    return bool(
        await office.rows(
            "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
        )
    )
