"""A backup that was restored beside the simulated authority: what a person is told of the numbers that it lost."""

from collections.abc import AsyncIterator

import httpx2
import pytest
from playwright.async_api import Page, expect

from core.einvoice.transmission.test_number_recovery import Site as Machine
from core.einvoice.transmission.test_number_recovery import set_back, site, two_invoices
from support.api import Api
from support.letters import Mailbox
from support.periods import YEAR
from support.ports import free_port
from support.serving import served
from web.conftest import Site, Visits
from web.test_web_simulation import unsaid

machine = site
"""The machine whose database is restored: see there."""

ASK = {"es": "Emitir", "en": "Issue"}
SIMULATION = {"es": "Simulación: ", "en": "Simulation: "}
RESTORED = {
    "es": "Simulación: la base de datos se restauró o se movió",
    "en": "Simulation: the database was restored or moved",
}
ASKED_BEFORE = {"es": "antes se pregunta a la simulación", "en": "the simulation is asked first"}
LOST = {"es": "2 números que no se vuelven a dar", "en": "2 numbers that are not given again"}


@pytest.fixture
async def ana(machine: Machine) -> Api:
    """Ana, whose two last invoices a restore has lost."""
    return await set_back(machine, two_invoices)


@pytest.fixture
async def visits(machine: Machine, ana: Api, pool) -> AsyncIterator[Visits]:
    """Windows on the restored server."""
    port = free_port()
    settings = {"DATABASE_URL": machine.postgres.url(machine.database), "PORT": str(port), "EINVOICE_WAIT": "20"}
    address = f"http://127.0.0.1:{port}"
    async with (
        served(machine.directory, BASE_URL=address, **settings) as server,
        httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
    ):
        ana.client = client
        await ana.log_in()
        visits = Visits(Site(address, client, Mailbox(machine.directory / "mail"), machine.directory), pool)
        yield visits
        faults = await visits.end()
    assert faults == []


async def in_records(page: Page, view: str = "") -> None:
    await page.goto(f"/einvoice{view}")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()


@pytest.mark.parametrize("language", ["es", "en"])
async def test_the_first_number_after_a_restore_tells_what_was_lost_and_that_it_is_simulated(visits, ana, language):
    draft = await ana.invoice()
    page = await visits(ana, "/einvoice", language=language)
    await expect(page.get_by_role("link", name=RESTORED[language])).to_be_visible()
    assert await unsaid(page) == []

    await page.goto(f"/invoices/{draft['id']}")
    await page.get_by_role("button", name=f"{ASK[language]}…").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text(ASKED_BEFORE[language])
    await dialog.get_by_role("button", name=ASK[language], exact=True).click()
    told = page.locator(".toasts")
    await expect(told.locator(".toast").first).to_contain_text(f"F{YEAR}-0004")  # not the number of the rehearsal
    warning = told.locator(".toast").filter(has_text=f"F{YEAR}-0002")
    await expect(warning).to_contain_text(SIMULATION[language])
    await expect(warning).to_contain_text(f"F{YEAR}-0003")
    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"F{YEAR}-0004")
    assert await unsaid(page) == []

    await in_records(page)
    notice = page.locator(".notice").filter(has_text=f"F{YEAR}-0002")
    await expect(notice).to_contain_text(RESTORED[language])
    await notice.get_by_role("link").click()
    lost = page.locator(".notice").filter(has_text=LOST[language])
    await expect(lost.get_by_role("listitem")).to_have_count(2)
    await expect(lost).to_contain_text({"es": "6.050,00 €", "en": "€6,050.00"}[language])
    assert await unsaid(page) == []
