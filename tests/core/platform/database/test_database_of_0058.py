"""A database of revision 0058, with which the migrations begin, goes on without a step (docs/adr/0044).

`database_of_0058.sql.gz` was made by the migrations that were squashed, and filled through the product. It is
pg_dump's text without owners and without the rights of the server's role.
"""

import gzip
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from ledgerkit.core.operation.installation.database.setup import Access, foresee, prepare
from ledgerkit.core.platform.database import migrations
from ledgerkit.embedded_postgres import EmbeddedPostgres
from ledgerkit.embedded_postgres.binaries import find_binaries
from support.api import Api
from support.clusters import execute, fetch
from support.office import opened

DUMP = Path(__file__).with_name("database_of_0058.sql.gz")


@pytest.fixture
async def stored(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    """Name of a database with what the file holds."""
    name = f"of_0058_{uuid4().hex}"
    await postgres.create_database(name)
    await execute(plain(postgres.url(name)), gzip.decompress(DUMP.read_bytes()).decode())
    yield name
    await postgres.drop_database(name)


def plain(url: str) -> str:
    """An address as programs of PostgreSQL take it."""
    return url.replace("+asyncpg", "")


def dumped(url: str, *words: str) -> str:
    """The text that pg_dump writes of a database, without the lines that differ each time."""
    words = (str(find_binaries().program("pg_dump")), *words, f"--dbname={plain(url)}")
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return "\n".join(line for line in done.stdout.splitlines() if not line.startswith(("\\restrict", "\\unrestrict")))


@pytest.mark.whole
async def test_up_to_0058_there_is_nothing_to_do(postgres, stored):
    url = postgres.url(stored)
    before = dumped(url)

    async with migrations.alone(url) as connection:
        await migrations.upgrade_on(connection, migrations.OLDEST)

    assert dumped(url) == before


async def test_its_tables_become_those_of_a_new_database(postgres, stored, fresh_urls):
    await prepare(Access(*postgres.urls(stored)))

    assert dumped(postgres.url(stored), "--schema-only") == dumped(fresh_urls.owner, "--schema-only")


async def test_what_it_holds_is_read_by_the_server_and_added_to(postgres, stored, tmp_path, cheap_passwords):
    async with opened(postgres.url(stored), tmp_path, cheap_passwords) as office:
        ana = Api(office.client, {}, "ana@example.com")
        await ana.log_in()

        [client], [invoice] = await ana.get("/api/clients"), await ana.get("/api/invoices")
        [expense], [bill] = await ana.get("/api/expenses"), await ana.get("/api/supplier-invoices")
        status = await ana.get(f"/api/einvoice/status/{invoice['id']}")
        [record] = await office.rows("select number, channel from fiscal_record")
        page = await office.client.get(f"/s/{invoice['shareToken']}")
        added = await ana.invoice(clientId=client["id"], client=None)

    assert (client["name"], invoice["number"], invoice["total"]) == ("Norte Muñoz, S.L.", "F2026-0001", 1452)
    assert (expense["vendor"], expense["amount"], bill["invoiceNumber"]) == ("Papelería Sol", 121, "2026/7")
    assert (status["status"], tuple(record)) == ("accepted", ("F2026-0001", "verifactu"))
    assert "Identidad visual" in page.text
    assert added["client"]["name"] == client["name"]


@pytest.mark.whole
async def test_an_earlier_one_is_told_what_to_do_and_left_as_it_is(postgres, stored):
    url, access = postgres.url(stored), Access(*postgres.urls(stored))
    await execute(plain(url), "update alembic_version set version_num = '0031'")
    before = dumped(url)

    for start in (prepare, foresee):
        with pytest.raises(migrations.MigrationError, match=r"revision 0031\..* earlier .* ends with 0058"):
            await start(access)

    assert dumped(url) == before
    assert await fetch(plain(url), "select version_num from alembic_version") == [("0031",)]
