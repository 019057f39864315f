"""Work on the web app itself: Vite's server shows the sources as they are and passes the rest on to ledgerkit."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from functools import partial

import httpx2
import pytest
from playwright.async_api import expect

from support.office import eventually
from support.ports import free_port
from web.conftest import ROOT, Site, Visits


async def answers(address: str) -> bool:
    async with httpx2.AsyncClient(timeout=60) as client:
        try:
            await client.get(address)
        except httpx2.TransportError:
            return False
    return True


@pytest.fixture
async def vite(site) -> AsyncIterator[str]:
    """The address of `make web-dev` before the site's server."""
    if not (ROOT / "web" / "node_modules" / ".installed").is_file():
        pytest.skip("npm's packages are not here: sh scripts/web packages")
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        *("sh", "scripts/web", "dev", "--host", "127.0.0.1", "--port", str(port), "--strictPort"),
        cwd=ROOT,
        env=os.environ | {"LEDGERKIT_URL": site.url},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        await eventually(partial(answers, address))
        yield address
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        await process.wait()


async def test_the_app_is_used_from_its_sources(vite, site, pool):
    ana = await site.owner()
    visits = Visits(Site(vite, site.client, site.mails, site.directory), pool)
    page = await visits(ana, "/clients")

    await page.get_by_role("button", name="Nuevo cliente").first.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Nombre o razón social").fill("Talleres Norte")
    await dialog.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_role("heading", name="Talleres Norte")).to_be_visible()
    assert [one["name"] for one in await ana.get("/api/clients")] == ["Talleres Norte"]
    assert await visits.end() == []
