"""Killed servers, PostgreSQLs and senders: nothing acknowledged is lost."""

import asyncio
import os
import signal
from itertools import count
from pathlib import Path

import asyncpg
import httpx2
import pytest

from ledgerkit.embedded_postgres import EmbeddedPostgres
from ledgerkit.providers.es.sandbox import Fault, sandbox
from support.api import Api, invoice_body
from support.directories import open_directory
from support.gate import Gate
from support.office import cloned, emit, eventually, nif, settled
from support.periods import YEAR
from support.serving import Server, reporting_to, served, start

LATE = b":Incidencia>S</"

_numbers = count(40_000_001)


async def account(client: httpx2.AsyncClient) -> Api:
    number = next(_numbers)
    return await Api.with_team(client, f"user{number}@example.com", "Ana Ruiz", nif(number))


def caller(server: Server) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=server.url, timeout=60)


# ---------------------------------------------------------------- the server is killed


@pytest.fixture
async def authority(tmp_path):
    authority = sandbox(tmp_path / "authority")
    await authority.start()
    yield authority
    await authority.stop()


@pytest.fixture
async def gate(authority):
    target = httpx2.URL(authority.access.url)
    gate = Gate(target.port)
    await gate.start()
    gate.open()
    yield gate
    await gate.stop()


@pytest.mark.whole
async def test_a_server_killed_while_sending_asks_and_sends_what_is_not_held_again(postgres, tmp_path, authority, gate):
    """One record was stored by the authority and its answer never read; another one never reached it."""
    async with cloned(postgres) as url:
        settings = reporting_to(authority.access) | {
            "DATABASE_URL": url.replace("+asyncpg", ""),
            "EINVOICE_WAIT": "0.1",
            "VERIFACTU_URL": str(httpx2.URL(authority.access.url).copy_with(port=gate.port)),
        }
        async with served(tmp_path / "data", **settings) as server, caller(server) as client:
            stored_by, unheard_of = await account(client), await account(client)
            stored, unheard = await stored_by.invoice(), await unheard_of.invoice()
            authority.faults.add(Fault(delay_seconds=300))
            first = await emit(stored_by, stored)
            await eventually(lambda: asyncio.sleep(0, authority.records(stored_by.team["taxId"])))
            gate.shut()
            second = await emit(unheard_of, unheard)
            await eventually(lambda: asyncio.sleep(0, gate.held))
            await server.kill()
        assert [first["status"], second["status"]] == ["pending", "pending"]
        assert len(authority.received) == 1
        gate.open()
        await lapse_of_the_leases(url)

        async with served(tmp_path / "data", **settings) as server, caller(server) as client:
            stored_by.client = unheard_of.client = client
            standings = [await settled(stored_by, stored), await settled(unheard_of, unheard)]

            assert [standing["status"] for standing in standings] == ["accepted", "accepted"]
            assert [standing["number"] for standing in standings] == [first["number"], second["number"]]
            assert [standing["hash"] for standing in standings] == [first["hash"], second["hash"]]
            records = [await xml_of(stored_by, first), await xml_of(unheard_of, second)]
        assert [sum(record in message for message in authority.received) for record in records] == [1, 1]
        assert [LATE in message for message in authority.received] == [False, True]
        assert len(authority.asked) == 2
        for api in (stored_by, unheard_of):
            assert len(authority.records(api.team["taxId"])) == 1
            assert authority.chain_breaks(api.team["taxId"]) == ()


async def lapse_of_the_leases(url: str) -> None:
    """Wait until the lease of a dead process has run out (15 seconds), so that another one may send."""
    connection = await asyncpg.connect(url.replace("+asyncpg", ""))
    leases = await connection.fetchval("select count(*) from fiscal_sender where lease_until is not null")
    await connection.execute("update fiscal_sender set lease_until = lease_until - interval '15 seconds'")
    await connection.close()
    assert leases == 2


async def xml_of(api: Api, result) -> bytes:
    path = f"/api/einvoice/xml/{result['invoiceId']}?fiscalId={result['fiscalId']}"
    return (await api.request("GET", path)).content


# ---------------------------------------------------------------- the embedded PostgreSQL


class Embedded:
    """A server with a PostgreSQL of its own, started again by whoever needs it after it was ended."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._server: Server | None = None

    async def up(self) -> Server:
        if self._server is None or self._server.process.poll() is not None:
            self._server = start(self.directory, EINVOICE_WAIT="1")
            await self._server.ready()
        return self._server

    async def down(self) -> None:
        if self._server is not None and self._server.process.poll() is None:
            await self._server.stop()

    @property
    def postmaster(self) -> int | None:
        """The process of its PostgreSQL."""
        pid = EmbeddedPostgres(self.directory / "postgres").describe()["pid"]
        assert pid is None or isinstance(pid, int)
        return pid


@pytest.fixture(scope="module")
async def embedded():
    with open_directory() as directory:
        embedded = Embedded(directory / "data")
        yield embedded
        await embedded.down()


@pytest.mark.whole
async def test_a_killed_postgres_costs_503_with_retry_after_and_nothing_acknowledged(embedded):
    async with caller(await embedded.up()) as client:
        ana = await account(client)
        stop, answers = asyncio.Event(), list[httpx2.Response]()

        async def customer(kind) -> None:
            while not stop.is_set():
                answers.append(await kind(ana))

        def since(start: int, wanted) -> int:
            return sum(map(wanted, answers[start:]))

        customers = [asyncio.create_task(customer(kind)) for kind in (draft, draft, draft, draft_and_emit, listing)]
        await eventually(lambda: asyncio.sleep(0, len(answers) > 20))
        before, failed = embedded.postmaster, len(answers)
        os.kill(before, signal.SIGKILL)
        await eventually(lambda: asyncio.sleep(0, since(failed, is_refused)), seconds=60)
        await eventually(lambda: asyncio.sleep(0, since(failed, is_success) > 30), seconds=60)
        stop.set()
        await asyncio.gather(*customers)

        refused = [one for one in answers if is_refused(one)]
        assert {one.status_code for one in answers if not is_success(one)} == {503}
        assert all(int(one.headers["Retry-After"]) > 0 for one in refused)
        assert {one.json()["code"] for one in refused} == {"DATABASE_UNAVAILABLE"}
        acknowledged = [one.json() for one in answers if one.status_code == 201]
        stored = [await ana.get(f"/api/invoices/{one['id']}") for one in acknowledged]
        assert [one["id"] for one in stored] == [one["id"] for one in acknowledged]
        for one in (answer.json() for answer in answers if is_emission(answer)):
            assert (await settled(ana, {"id": one["invoiceId"]}))["number"] == one["number"]
        assert embedded.postmaster not in {before, None}


def is_success(answer: httpx2.Response) -> bool:
    return answer.is_success


def is_refused(answer: httpx2.Response) -> bool:
    return answer.status_code == 503


def is_emission(answer: httpx2.Response) -> bool:
    return answer.is_success and answer.request.url.path == "/api/einvoice/emit"


async def draft(api: Api) -> httpx2.Response:
    return await api.request("POST", "/api/invoices", invoice_body())


async def draft_and_emit(api: Api) -> httpx2.Response:
    invoice = await draft(api)
    if not invoice.is_success:
        return invoice
    return await api.request("POST", "/api/einvoice/emit", {"invoiceId": invoice.json()["id"]})


async def listing(api: Api) -> httpx2.Response:
    return await api.request("GET", "/api/invoices?limit=3")


async def test_a_second_server_on_the_same_directory_is_refused_in_words(embedded):
    first = await embedded.up()
    second = start(embedded.directory)

    code = await second.ended(60)

    assert code == 69
    assert f"Another ledgerkit server (process {first.process.pid}) is using" in second.said
    assert "LEDGERKIT_DATA_DIR" in second.said
    assert first.process.poll() is None


async def test_a_killed_server_is_followed_by_one_on_the_same_directory(embedded):
    """The killed server's PostgreSQL goes on without it until the next start ends it."""
    server = await embedded.up()
    async with caller(server) as client:
        ana = await account(client)
        invoice = await ana.invoice()
        await emit(ana, invoice)
        first = await settled(ana, invoice)
        orphan = embedded.postmaster
    await server.kill()
    assert embedded.postmaster == orphan

    async with caller(await embedded.up()) as client:
        ana.client = client
        again = await emit(ana, invoice)
        following = await ana.invoice()
        await emit(ana, following)
        standing = await settled(ana, following)

    assert embedded.postmaster not in {orphan, None}
    assert {name: first[name] for name in again if name != "qr"} == {
        name: again[name] for name in again if name != "qr"
    }
    assert (standing["number"], standing["status"]) == (f"F{YEAR}-0002", "accepted")
    assert "chain broken" not in (await embedded.up()).said


@pytest.mark.whole
async def test_a_stop_in_order_is_prompt_and_leaves_no_process_whatever_the_authority_does(embedded):
    server = await embedded.up()
    async with caller(server) as client:
        ana = await account(client)
        silent = {"description": "Identidad visual [sandbox:delay 300]", "unitPrice": 1}
        answer = await emit(ana, await ana.invoice(items=[silent]))
    loop = asyncio.get_running_loop()
    began = loop.time()

    code = await server.stop()

    assert answer["status"] == "pending"
    assert code in {0, -signal.SIGTERM}
    assert loop.time() - began < 8
    assert embedded.postmaster is None
