"""Words of the simulation about itself: wherever the tax agency is named, it is said that nothing reaches it."""

import io
import re

import pytest
from playwright.async_api import expect
from pypdf import PdfReader

from support.api import CLIENT, Api, item
from support.simulation import unsaid
from web.test_web_every_route import usable


async def issued(api: Api, description: str = "Trabajo") -> dict:
    draft = await api.post("/api/invoices", {"client": CLIENT, "items": [item(description=description)]})
    await api.request("POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
    return await api.get(f"/api/invoices/{draft['id']}")


@pytest.mark.parametrize("language", ["es", "en"])
async def test_a_simulated_invoice_is_called_one_from_the_question_to_the_answer(visit, ana, language):
    simulation = {"es": "(simulación)", "en": "(simulation)"}[language]
    draft = await ana.post("/api/invoices", {"client": CLIENT, "items": [item()]})
    page = await visit(ana, f"/invoices/{draft['id']}", language=language)
    await page.get_by_role("button", name={"es": "Emitir…", "en": "Issue…"}[language]).click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text(
        {"es": "nada llega a la AEAT", "en": "nothing here reaches the AEAT"}[language]
    )
    await dialog.get_by_role("button", name={"es": "Emitir", "en": "Issue"}[language], exact=True).click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("F20")
    await expect(page.locator(".badges")).to_contain_text(simulation)
    await expect(page.locator(".timeline")).to_contain_text(simulation)
    assert await unsaid(page) == []

    for view in ("", "?view=chain", "?view=live"):
        await page.goto(f"/einvoice{view}")
        await usable(page)
        assert await unsaid(page) == []


async def test_what_the_simulation_refuses_is_said_to_be_refused_by_it(visit, ana):
    invoice = await issued(ana, "Trabajo [sandbox:reject 1110]")
    page = await visit(ana, f"/invoices/{invoice['id']}")

    await expect(page.get_by_text("Simulación: la AEAT rechazaría esta factura")).to_be_visible()
    assert await unsaid(page) == []
    for path in ("/invoices", "/einvoice", "/"):
        await page.goto(path)
        await usable(page)
        assert await unsaid(page) == []
    await page.goto("/invoices")
    await expect(page.get_by_role("main")).to_contain_text("Rechazada (simulación)")


async def test_the_public_page_of_a_simulated_invoice_says_so(visit, ana):
    invoice = await issued(ana)
    shared = await ana.post(f"/api/invoices/{invoice['id']}/share")
    page = await visit.window()
    await page.goto(shared["shareUrl"])

    await expect(page.get_by_text("SIMULACIÓN · SIN VALIDEZ FISCAL")).to_be_visible()


async def test_the_badge_opens_what_the_simulation_is_and_the_way_out(visit, ana, violations):
    page = await visit(ana, "/")
    await page.get_by_role("button", name="Simulación").click()
    dialog = page.get_by_role("dialog", name="Qué es la simulación y cómo pasar a real")
    await expect(dialog).to_contain_text("aquí nada llega a la AEAT")
    assert await violations(page) == []
    await dialog.get_by_role("link", name="Ver el certificado").click()

    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.get_by_role("button", name="Probar la conexión con la AEAT")).to_be_visible()


WORDS_OF_THE_TILL = {
    "es": ("Cobrar", "Tarjeta", "Recibo", "SIMULACIÓN · SIN VALIDEZ FISCAL"),
    "en": ("Charge", "Card", "Receipt", "SIMULATION · NOT VALID FOR TAX"),
}
"""To charge, by card, the receipt, and what it says of itself."""


@pytest.mark.parametrize("language", ["es", "en"])
async def test_the_receipt_of_a_simulated_sale_says_so_on_screen_and_on_both_papers(visit, ana, language):
    charge, card, receipt_name, simulated = WORDS_OF_THE_TILL[language]
    await ana.post("/api/catalog", {"name": "Taza", "unitPrice": 10, "taxRate": 21})
    await ana.post("/api/cash-register", {"openingAmount": 50})
    page = await visit(ana, "/till", language=language)
    await page.get_by_role("button", name=re.compile("^Taza")).click()
    await page.get_by_role("button", name=re.compile(f"^{charge}")).click()
    await page.get_by_role("dialog").get_by_label(card).check()
    await page.get_by_role("dialog").get_by_role("button", name=charge, exact=True).click()
    receipt = page.get_by_role("article", name=receipt_name)
    await expect(receipt).to_contain_text(simulated)
    await expect(receipt.get_by_role("img")).to_have_attribute("alt", re.compile("simula"))
    assert await unsaid(page) == []
    async with page.expect_download() as started:
        await page.get_by_role("button", name="PDF").click()
    kept = PdfReader(await (await started.value).path())
    assert "SIMULACIÓN" in "".join(sheet.extract_text() for sheet in kept.pages)

    await page.emulate_media(media="print")
    printed = PdfReader(io.BytesIO(await page.pdf(prefer_css_page_size=True)))
    assert [round(float(sheet.mediabox.width) / 72 * 25.4) for sheet in printed.pages] == [80]
    assert simulated in printed.pages[0].extract_text().replace("\n", " ")
