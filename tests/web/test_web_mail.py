"""A server without mail, as `make run` starts it: no screen says that anything was sent, and each says what to do."""

import re
from uuid import uuid4

import pytest
from playwright.async_api import Page, expect

from support.api import CLIENT, item

SENT = re.compile(r"enviad[ao]s? |ha aceptado el mensaje|mira tu (bandeja|correo)", re.IGNORECASE)
"""Words of what has left this server."""


async def claims(page: Page) -> list[str]:
    return [line for line in (await page.locator("body").inner_text()).splitlines() if SENT.search(line + " ")]


async def test_an_invoice_that_stays_in_a_file_is_not_said_to_be_sent(ana, visit):
    draft = await ana.post("/api/invoices", {"client": {**CLIENT, "email": "pagos@norte.example"}, "items": [item()]})
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    page = await visit(ana, f"/invoices/{draft['id']}")
    await page.get_by_role("button", name="Enviar…").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("No hay correo configurado")
    async with page.expect_download() as started:
        await dialog.get_by_role("button", name="Descargar PDF").click()
    assert (await started.value).suggested_filename.endswith(".pdf")

    await dialog.get_by_role("button", name="Guardar el mensaje").click()
    await dialog.get_by_role("button", name="Guardar de todas formas").click()

    await expect(page.get_by_text("El mensaje para pagos@norte.example no ha salido")).to_be_visible()
    assert await claims(page) == []
    after = await ana.get(f"/api/invoices/{draft['id']}")
    assert (after["sentAt"], after["status"]) == (None, "sent")


async def test_an_invoice_of_the_list_is_mailed_by_the_same_dialog(ana, visit):
    draft = await ana.post("/api/invoices", {"client": {**CLIENT, "email": "pagos@norte.example"}, "items": [item()]})
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    page = await visit(ana, "/invoices")
    await page.get_by_role("button", name=re.compile("^Más acciones: F")).click()
    await page.get_by_role("menuitem", name="Enviar por correo").click()

    await expect(page.get_by_role("dialog", name="Enviar por correo")).to_contain_text("No hay correo configurado")


async def test_where_e_invoicing_is_off_issuing_promises_no_mail(ana, visit):
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    draft = await ana.post("/api/invoices", {"client": {**CLIENT, "email": "pagos@norte.example"}, "items": [item()]})
    page = await visit(ana, f"/invoices/{draft['id']}")
    await page.get_by_role("button", name="Emitir…").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("el mensaje al cliente quedará en un archivo del servidor")
    await dialog.get_by_role("button", name="Emitir", exact=True).click()

    await expect(page.get_by_role("heading", level=1)).to_contain_text("F20")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert await claims(page) == []


async def test_an_invitation_that_stays_in_a_file_is_not_said_to_be_sent(ana, visit):
    guest = f"{uuid4().hex}@example.com"
    page = await visit(ana, "/team")
    await page.get_by_role("button", name="Invitar a alguien").click()
    await expect(page.get_by_role("dialog")).to_contain_text("No hay correo configurado")
    await page.get_by_role("dialog").get_by_label("Correo electrónico").fill(guest)
    await page.get_by_role("dialog").get_by_role("button", name="Hacer la invitación").click()

    await expect(page.get_by_text(f"La invitación para {guest} quedó en un archivo del servidor")).to_be_visible()
    assert await claims(page) == []


@pytest.mark.parametrize("path", ["/settings/mail", "/settings/account", "/forgot"])
async def test_no_page_promises_a_mail(ana, visit, path):
    page = await visit(ana, path)
    if path == "/forgot":
        await page.get_by_label("Correo electrónico").fill(ana.email)
    names = re.compile("Hacer un mensaje de prueba|Pedir el enlace")
    await page.get_by_role("button", name=names).click()

    await expect(
        page.get_by_text(re.compile("en un archivo del servidor[.: ]|en un archivo del servidor$")).first
    ).to_be_visible()
    assert await claims(page) == []
