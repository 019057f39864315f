"""A copy of real records, opened in the sandbox to try it: nothing of it leaves the machine."""

import asyncio

import httpx2
import pytest

from ledgerkit.providers.es.sandbox import sandbox
from support.api import Api
from support.office import emit, settled
from support.serving import Server, reporting_to, served

pytestmark = pytest.mark.whole

NOBODY_THERE = "https://127.0.0.1:1/"
SWEEPS = 5
"""Seconds in which what is due would have been sent."""


def at(server: Server) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=server.url, timeout=60)


async def test_what_waits_for_the_authority_is_not_sent_by_a_server_in_the_sandbox(tmp_path, fresh_urls):
    authority = sandbox(tmp_path / "authority")
    await authority.start()
    real = reporting_to(authority.access) | {"DATABASE_URL": fresh_urls.owner}
    data = tmp_path / "data"
    try:
        async with (
            served(data, **real | {"VERIFACTU_URL": NOBODY_THERE, "EINVOICE_WAIT": "0"}) as server,
            at(server) as web,
        ):
            ana = await Api.with_team(web, "ana@example.com", "Ana Ruiz", "50000001W")
            waiting = await ana.invoice()
            await emit(ana, waiting)
        async with served(data, **real | {"EINVOICE_ENV": "sandbox"}) as server, at(server) as web:
            ana = Api(web, ana.headers)
            tried = await ana.invoice()
            await emit(ana, tried)
            accepted = await settled(ana, tried)
            await asyncio.sleep(SWEEPS)
            still = await ana.get(f"/api/einvoice/status/{waiting['id']}")
    finally:
        await authority.stop()

    assert (accepted["status"], accepted["environment"]) == ("accepted", "sandbox")
    assert (still["status"], still["environment"]) == ("pending", "test")
    assert len(authority.received) == 0
