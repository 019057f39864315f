"""A freelancer's first hour, whole: registered, set up, invoiced, on paper, in the client's mailbox, and paid."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from playwright.async_api import Page, expect

from support.api import Api
from support.periods import YEAR
from support.windows import register, type_company
from web.conftest import Site, mailing_site

CLIENT_EMAIL = "pagos@norte.example"


@pytest.fixture(scope="module")
async def site(postgres, tmp_path_factory, inbox) -> AsyncIterator[Site]:
    """The server of these tests mails by a real mail server."""
    directory = tmp_path_factory.mktemp("mailing") / "data"
    async with mailing_site(postgres, directory, inbox, VERIFY_EMAIL="off") as site:
        yield site


async def set_up(page: Page) -> None:
    """Fill what an invoice needs to be issued."""
    await type_company(page)
    await expect(page.locator("[aria-current=step]")).to_have_text("Tus facturas")
    await page.get_by_role("button", name="Ahora no").click()


async def write_invoice(page: Page) -> None:
    await page.get_by_label("Nombre o razón social").fill("Talleres Norte")
    await page.keyboard.press("Tab")
    await page.get_by_label("NIF").fill("B12345674")
    await page.get_by_label("Correo", exact=True).fill(CLIENT_EMAIL)
    await page.get_by_role("button", name="Crear cliente").click()
    await expect(page.get_by_role("button", name="Otro cliente")).to_be_visible()
    line = page.get_by_role("list", name="Conceptos").get_by_role("listitem").first
    await line.get_by_label("Concepto").fill("Identidad visual")
    await line.get_by_label("Precio").fill("1.200,50")
    await expect(page.get_by_role("status", name="Totales")).to_contain_text("1.452,61")


@pytest.mark.journey
async def test_the_first_invoice_from_the_registration_to_the_payment(site, inbox, visit):
    email = f"{uuid4().hex}@example.com"
    page = await visit.window()
    await register(page, email)
    await set_up(page)
    await page.get_by_role("link", name="Hacer mi primera factura").click()
    await write_invoice(page)
    await page.get_by_role("button", name="Emitir…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Emitir", exact=True).click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"F{YEAR}-0001")
    await expect(page.get_by_role("main")).to_contain_text("Aceptada (simulación)")

    async with page.expect_download() as started:
        await page.get_by_role("button", name="PDF", exact=True).click()
    paper = (await (await started.value).path()).read_bytes()
    marta = Api(site.client, {}, email)
    await marta.log_in()
    [invoice] = await marta.get("/api/invoices")
    assert paper == (await marta.request("GET", f"/api/invoices/{invoice['id']}/pdf")).content

    await page.get_by_role("button", name="Enviar…").click()
    await expect(page.get_by_label("Dirección")).to_have_value(CLIENT_EMAIL)
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("lleva un enlace público: quien lo tenga ve la factura sin entrar")
    await dialog.get_by_role("button", name="Enviar", exact=True).click()
    await expect(page.get_by_role("dialog", name="¿Enviar una factura simulada?")).to_contain_text(
        "no tiene validez fiscal"
    )
    assert CLIENT_EMAIL not in {one["To"] for one in inbox.messages()}
    await dialog.get_by_role("button", name="Enviar de todas formas").click()
    await expect(page.get_by_text(f"Enviada a {CLIENT_EMAIL}")).to_be_visible()
    [mail] = [one for one in inbox.messages() if one["To"] == CLIENT_EMAIL]
    assert mail["Reply-To"] == email
    assert [part.get_content() for part in mail.iter_attachments() if part.get_content_subtype() == "pdf"] == [paper]
    await expect(page.get_by_text("Enviada por correo")).to_be_visible()

    await page.get_by_role("button", name="Registrar cobro").first.click()
    await page.get_by_role("dialog").get_by_role("button", name="Guardar").click()

    await expect(page.get_by_text("Cobrada", exact=True)).to_be_visible()
    [invoice] = await marta.get("/api/invoices")
    assert (invoice["status"], invoice["total"], invoice["balance"]) == ("paid", 1452.61, 0)


async def test_with_a_mail_server_what_leaves_is_said_to_have_left(site, inbox, visit):
    ana = await site.owner()
    page = await visit(ana, "/settings/mail")
    await page.get_by_role("button", name=f"Enviar una prueba a {ana.email}").click()
    await expect(page.get_by_text(f"El servidor de correo ha aceptado el mensaje para {ana.email}")).to_be_visible()

    guest = f"{uuid4().hex}@example.com"
    await page.goto("/team")
    await page.get_by_role("button", name="Invitar a alguien").click()
    await page.get_by_role("dialog").get_by_label("Correo electrónico").fill(guest)
    await page.get_by_role("dialog").get_by_role("button", name="Enviar invitación").click()
    await expect(page.get_by_text(f"Invitación enviada a {guest}")).to_be_visible()
    assert {ana.email, guest} <= {one["To"] for one in inbox.messages()}

    await page.goto("/settings/account")
    await page.get_by_role("button", name="Enviar el enlace otra vez").click()
    await expect(page.get_by_text("Te estamos enviando el enlace")).to_be_visible()
    await page.goto("/forgot")
    await page.get_by_label("Correo electrónico").fill(ana.email)
    await page.get_by_role("button", name="Pedir el enlace").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Mira tu correo")
