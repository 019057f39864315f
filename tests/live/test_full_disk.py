"""A full disk: what is written is refused with a code of its own, `/ready` says so, and all goes on by itself after."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from support.api import Api, invoice_body, item
from support.clusters import cluster, execute, major
from support.commands import ledgerkit
from support.disks import clear, fill, small_disk
from support.serving import served

pytestmark = pytest.mark.whole

MANY_LINES = invoice_body(items=[item(description=f"{number} " + "long words " * 20) for number in range(200)])


@asynccontextmanager
async def rented_on(disk: Path, directory: Path) -> AsyncIterator[str]:
    """The address of a database whose tables lie on `disk`, and the log of its server elsewhere."""
    async with cluster(directory, major("18")) as host:
        host.own(disk)
        await host.sql(
            "create role shop login createrole password 'owner'",
            f"create tablespace small location '{disk}'",
            "create database shop owner shop template template0 encoding 'UTF8' tablespace small",
        )
        yield host.url("shop", "owner", "shop")


async def first_refusal(api: Api) -> httpx2.Response:
    """The first refusal, once the space that PostgreSQL had left within its files is used up."""
    for _ in range(500):
        answer = await api.request("POST", "/api/invoices", MANY_LINES)
        if answer.status_code != 201:
            return answer
    raise AssertionError("the disk never got full")


async def test_a_full_postgresql_is_507_and_red_until_there_is_room(open_tmp, tmp_path):
    with small_disk(open_tmp / "disk", 64) as disk:
        async with (
            rented_on(disk, open_tmp / "cluster") as url,
            served(tmp_path / "data", DATABASE_URL=url) as server,
            httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
        ):
            ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")
            fill(disk)
            refused = await first_refusal(ana)
            red = await client.get("/ready", headers={"Accept-Language": "es"})
            read = await client.get("/health")
            clear(disk)
            green = await client.get("/ready")
            saved = await ana.post("/api/invoices", MANY_LINES)

    assert (refused.status_code, refused.json()["code"]) == (507, "STORAGE_FULL")
    assert int(refused.headers["retry-after"]) > 0
    assert (red.status_code, red.json()["code"]) == (507, "STORAGE_FULL")
    assert "está lleno" in red.json()["detail"]
    assert (read.status_code, green.status_code) == (200, 200)
    assert saved["id"]


async def test_too_little_room_in_the_data_directory_is_red_with_the_number(open_tmp, fresh_urls):
    with small_disk(open_tmp / "disk", 16) as disk:
        settings = {"DATABASE_URL": fresh_urls.owner, "DATABASE_APP_URL": fresh_urls.app}
        async with (
            served(disk / "data", **settings) as server,
            httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
        ):
            fill(disk)
            red = await client.get("/ready")
            clear(disk)
            green = await client.get("/ready")

    assert (red.status_code, red.json()["code"]) == (507, "STORAGE_FULL")
    assert red.json()["detail"] == "The disk of the data directory has 0 MiB left; the server needs 1."
    assert green.status_code == 200


async def test_an_embedded_postgresql_on_a_full_disk_loses_nothing_and_goes_on_by_itself(open_tmp):
    with small_disk(open_tmp / "disk", 256) as disk:
        async with (
            served(disk / "data") as server,
            httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
        ):
            ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")
            stored = await ana.post("/api/invoices", MANY_LINES)
            fill(disk)
            refused = await first_refusal(ana)
            red = await client.get("/ready")
            clear(disk)
            await server.ready()
            read_again = await ana.get(f"/api/invoices/{stored['id']}")
            saved = await ana.post("/api/invoices", MANY_LINES)

    assert refused.status_code in {503, 507}  # PostgreSQL ends itself when it is its log that has no room
    assert (red.status_code, red.json()["code"]) == (507, "STORAGE_FULL")
    assert red.json()["detail"] == "The disk of the data directory has 0 MiB left; the server needs 32."
    assert read_again == stored
    assert saved["id"]


async def test_a_start_on_a_full_disk_ends_with_one_line_and_69(open_tmp):
    with small_disk(open_tmp / "disk", 1) as disk:
        fill(disk)
        ended = await ledgerkit(disk, "serve", PORT="0")

    assert ended.code == 69
    assert ended.err.splitlines() == [ended.err.strip()]
    assert ended.err.startswith("The disk is full (")


REFUSING = """
create function {name}() returns {kind} language plpgsql as $$
begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$
"""


async def test_what_postgresql_calls_a_full_disk_is_one_problem_wherever_it_comes_from(live, fresh_urls):
    """Also where no disk can be mounted: PostgreSQL itself raises what it raises then."""
    ana = await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")
    owner = fresh_urls.owner.replace("+asyncpg", "")
    await execute(
        owner,
        REFUSING.format(name="refuse_rows", kind="trigger"),
        REFUSING.format(name="refuse_tables", kind="event_trigger"),
        "create trigger full_disk before insert on invoice for each row execute function refuse_rows()",
        "create event trigger full_disk on ddl_command_start when tag in ('CREATE TABLE AS')"
        " execute function refuse_tables()",
    )

    refused = await ana.request("POST", "/api/invoices", invoice_body())
    in_spanish = await ana.request("POST", "/api/invoices", invoice_body(), **{"Accept-Language": "es"})
    red = await live.get("/ready")
    await execute(owner, "drop event trigger full_disk", "drop trigger full_disk on invoice")
    green = await live.get("/ready")

    assert (refused.status_code, refused.json()["code"]) == (507, "STORAGE_FULL")
    assert "make room" in refused.json()["remedy"]
    assert "haga sitio" in in_spanish.json()["remedy"]
    assert (red.status_code, red.json()["code"]) == (507, "STORAGE_FULL")
    assert green.status_code == 200
    assert (await ana.post("/api/invoices", invoice_body()))["id"]
