"""Gauges: what waits over all accounts, without looking into them and without holding anybody up."""

import asyncio
import threading
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from prometheus_client import REGISTRY
from prometheus_client.registry import Collector
from sqlalchemy import text

from ledgerkit.app import create_app
from ledgerkit.core.operation.installation.server import state_metrics
from ledgerkit.core.operation.installation.server.state_metrics import StateMetrics
from ledgerkit.core.platform.database.transactions import Database, Pooling
from ledgerkit.routers.measuring import MeasuringMiddleware
from ledgerkit.runtime import working
from ledgerkit.settings.start_errors import Misconfigured
from ledgerkit.telemetry.metrics import MetricsServer
from support.credentials import encoded, person
from support.database import as_owner
from support.office import eventually
from support.ports import free_port
from support.scraping import scraped

PATIENCE = 60


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A page waits for the database of a busy machine, too."""
    monkeypatch.setattr(state_metrics, "ANSWER_SECONDS", PATIENCE)


@asynccontextmanager
async def gauged(kernel):
    gauges = StateMetrics(kernel)
    await gauges.start()
    try:
        yield gauges
    finally:
        await gauges.stop()


async def told_by(gauges) -> dict[tuple[str, ...], float]:
    """Every sample by its name and the values of its labels, as a thread of the server's reads them."""
    families = await asyncio.wait_for(asyncio.to_thread(lambda: list(gauges.collect())), PATIENCE)
    return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}


async def read(kernel) -> dict[tuple[str, ...], float]:
    async with gauged(kernel) as gauges:
        return await told_by(gauges)


async def waiting(kernel, api, records: int, age: str, **more: str) -> None:
    """A chain of an account with so many records to send, the oldest made so long ago."""
    values = {"account_id": f"'{api.team['id']}'", "installation_id": "gen_random_uuid()", "waiting": str(records)}
    values |= {"waiting_since": f"now() - interval '{age}'", **more}
    async with as_owner(kernel) as connection:
        await connection.execute(
            text(f"insert into fiscal_sender ({', '.join(values)}) values ({', '.join(values.values())})")  # noqa: S608 - ours
        )


async def test_the_outbox_is_told_by_state_over_all_accounts(kernel, ana, berta):
    await waiting(kernel, ana, 3, "100 seconds")
    await waiting(kernel, berta, 4, "50 seconds")
    await waiting(kernel, ana, 5, "1 hour", failures="2")
    await waiting(kernel, berta, 6, "2 hours", stopped_at="now()", failures="1")
    await waiting(kernel, berta, 0, "9 hours")

    told = await read(kernel)

    lengths = {state: told["ledgerkit_outbox_records", state] for state in ("waiting", "retrying", "stopped")}
    assert lengths == {"waiting": 7, "retrying": 5, "stopped": 6}
    assert 100 <= told["ledgerkit_outbox_oldest_seconds", "waiting"] < 3600
    assert 3600 <= told["ledgerkit_outbox_oldest_seconds", "retrying"] < 7200
    assert 7200 <= told["ledgerkit_outbox_oldest_seconds", "stopped"] < 9 * 3600


async def test_the_queue_is_told_by_job_and_state(kernel):
    async with as_owner(kernel) as connection:
        await connection.execute(text("delete from job"))
        await connection.execute(
            text(
                "insert into job (id, name, payload, due_at, worker, failed_at) values"
                " (gen_random_uuid(), 'post', '{}', now(), null, null),"
                " (gen_random_uuid(), 'post', '{}', now() - interval '1 hour', null, null),"
                " (gen_random_uuid(), 'post', '{}', now() + interval '1 hour', null, null),"
                " (gen_random_uuid(), 'post', '{}', now(), gen_random_uuid(), null),"
                " (gen_random_uuid(), 'sweep', '{}', now(), null, now())"
            )
        )

    told = await read(kernel)

    queued = {tuple(labels): count for (name, *labels), count in told.items() if name == "ledgerkit_queued_jobs"}
    assert queued == {("post", "due"): 2, ("post", "later"): 1, ("post", "running"): 1, ("sweep", "failed"): 1}


async def test_days_until_certificates_end_are_told_of_every_account(kernel, ana, berta):
    for api in (ana, berta):
        own = person(api.team["taxId"], kind="rsa")
        await api.put("/api/einvoice/certificate", {"file": encoded(own.pem())})
    owners = [ana.team["id"], berta.team["id"]]

    async with gauged(kernel) as gauges:

        async def looked():
            return {("ledgerkit_certificate_days_left", owner, "") for owner in owners} <= (
                await told_by(gauges)
            ).keys()

        await eventually(looked)
        told = await told_by(gauges)

    assert [364 < told["ledgerkit_certificate_days_left", owner, ""] <= 366 for owner in owners] == [True, True]


async def test_a_database_that_is_away_is_told_and_leaves_no_stale_numbers(kernel):
    away = Database(f"postgresql://nobody@127.0.0.1:{free_port()}/nothing", Pooling(size=2))

    told = await read(replace(kernel, database=away))

    assert told["ledgerkit_database_up",] == 0
    assert told["ledgerkit_pool_size", "writing"] == 2
    assert not [name for name, *_ in told if name.startswith(("ledgerkit_outbox", "ledgerkit_queued"))]


async def test_who_waits_for_a_connection_is_told(fresh_url):
    database = Database(fresh_url, Pooling(size=2))

    async with database.asking(), database.asking():
        third = asyncio.create_task(database.ready())
        await asyncio.sleep(0)
        busy = database.usage()["asking"]
    await third
    quiet = database.usage()["asking"]
    await database.close()

    assert (busy.size, busy.in_use, busy.waiting) == (2, 2, 1)
    assert (quiet.in_use, quiet.waiting) == (0, 0)


class Slow(Collector):
    """A part of the page that takes until it is told to end."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()

    def describe(self):
        return ()

    def collect(self):
        self.begun.set()
        assert self.may_end.wait(PATIENCE)
        return ()


async def test_a_page_that_takes_long_holds_up_no_request(settings, client):
    slow, port = Slow(), free_port()
    server = MetricsServer(settings.model_copy(update={"metrics_port": port}))
    REGISTRY.register(slow)
    await server.start()
    try:
        page = asyncio.create_task(scraped(port))
        assert await asyncio.to_thread(slow.begun.wait, PATIENCE)
        answer = await client.get("/health")
        unfinished = not page.done()
        slow.may_end.set()
        await page
    finally:
        slow.may_end.set()
        await server.stop()
        REGISTRY.unregister(slow)

    assert (answer.status_code, unfinished) == (200, True)


async def test_a_worker_apart_has_a_page_of_its_own(live_settings):
    port = free_port()

    async with working(live_settings.model_copy(update={"metrics_port": port})):
        page = await scraped(port)

    assert page.value("ledgerkit_database_up") == 1


@pytest.mark.parametrize("wrong", [{"metrics_port": 8000}, {"metrics_port": 8181, "metrics_host": "192.0.2.1"}])
async def test_a_port_that_cannot_be_the_metrics_is_refused(settings, wrong):
    with pytest.raises(Misconfigured, match="LEDGERKIT_METRICS_PORT"):
        await MetricsServer(settings.model_copy(update=wrong)).start()


async def test_there_are_no_metrics_unless_they_are_asked_for(settings):
    before = threading.active_count()
    server = MetricsServer(settings)

    await server.start()
    listening = threading.active_count() - before
    await server.stop()

    assert (settings.metrics_port, settings.metrics_host, listening) == (None, "127.0.0.1", 0)
    assert MeasuringMiddleware not in {one.cls for one in create_app(settings).user_middleware}
