"""docs/es/verifactu.md, step after step as it says to do them on the screens."""

from uuid import uuid4

from playwright.async_api import Locator, Page, expect

from support.api import item
from support.credentials import person
from support.periods import YEAR
from support.windows import register, type_company


async def type_invoice(page: Page, description: str) -> None:
    """Begin an invoice with a client who has what a whole invoice needs, and one line."""
    await page.get_by_role("link", name="Facturas", exact=True).first.click()
    await page.get_by_role("link", name="Nueva factura").first.click()
    await page.get_by_label("Nombre o razón social").fill(f"Talleres {uuid4().hex[:6]}")
    await page.keyboard.press("Tab")
    await page.get_by_label("NIF").fill("B12345674")
    await page.get_by_role("button", name="Crear cliente").click()
    await expect(page.get_by_role("button", name="Otro cliente")).to_be_visible()
    line = page.get_by_role("list", name="Conceptos").get_by_role("listitem").first
    await line.get_by_label("Concepto").fill(description)
    await line.get_by_label("Precio").fill("50")


async def issue(page: Page) -> None:
    await page.get_by_role("button", name="Emitir…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Emitir", exact=True).click()


def more(page: Page) -> Locator:
    return page.get_by_role("button", name="Más acciones")


async def test_the_guides_first_steps_are_taken_on_the_screens(visit):
    page = await visit.window()
    await register(page, f"{uuid4().hex}@example.com")
    await page.get_by_label("Nombre o razón social").fill("Marta Soler Gil")
    await type_company(page)
    await expect(page.locator("[aria-current=step]")).to_have_text("Tus facturas")
    await page.get_by_role("button", name="Ahora no").click()
    await expect(page.get_by_role("banner")).to_contain_text("Simulación")
    await page.get_by_role("link", name="Ir al inicio").click()

    await type_invoice(page, "Revisión [sandbox:reject 1110]")
    await issue(page)
    await page.get_by_role("button", name="Corregir los datos").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Concepto de la línea 1").fill("Revisión")
    await dialog.get_by_role("button", name="Guardar y emitir de nuevo").click()
    await expect(page.get_by_role("main")).to_contain_text("Aceptada (simulación)")
    async with page.expect_download() as paper:
        await page.get_by_role("button", name="PDF", exact=True).click()
    await more(page).first.click()
    async with page.expect_download() as record:
        await page.get_by_role("menuitem", name="Descargar XML").click()

    assert (await (await paper.value).path()).read_bytes().startswith(b"%PDF-")
    assert b"RegistroAlta" in (await (await record.value).path()).read_bytes()


async def test_the_guides_corrections_are_made_from_the_invoice(visit, ana):
    first, second = [await ana.invoice(items=[item(description=name)]) for name in ("Diseño", "Repetida")]
    for one in (first, second):
        await ana.post("/api/einvoice/emit", {"invoiceId": one["id"]})
    page = await visit(ana, f"/invoices/{first['id']}")

    await more(page).first.click()
    await page.get_by_role("menuitem", name="Rectificar").click()
    await page.get_by_role("dialog").get_by_role("button", name="Emitir rectificativa").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"R{YEAR}-0001")
    await page.goto(f"/invoices/{second['id']}")
    await more(page).first.click()
    await page.get_by_role("menuitem", name="Anular").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Motivo (no se envía)").fill("Emitida dos veces")
    await dialog.get_by_role("button", name="Anular", exact=True).click()
    await expect(page.get_by_text("Esta factura está anulada")).to_be_visible()


async def test_the_guides_checks_and_papers_are_under_verifactu(visit, ana):
    invoice = await ana.invoice()
    await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    page = await visit(ana, "/")
    await page.get_by_role("navigation", name="Secciones").get_by_role("link", name="VERI*FACTU").click()

    await page.get_by_label("Solo lo que hay que corregir").check()
    await expect(page.get_by_text("Ningún registro con este filtro.")).to_be_visible()
    await page.get_by_label("Solo lo que hay que corregir").uncheck()
    await more(page).first.click()
    await page.get_by_role("menuitem", name="Historial").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Registro hecho")
    await page.keyboard.press("Escape")
    await page.get_by_role("link", name="Estado y cadena").click()
    await page.get_by_role("button", name="Comprobar ahora").click()
    await expect(page.get_by_text("La última comprobación no encontró nada")).to_be_visible()
    async with page.expect_download():
        await page.get_by_role("button", name="Descargar ZIP").click()
    await page.get_by_role("link", name="Declaración responsable").click()
    await expect(page.get_by_text("NO ES UNA DECLARACIÓN RESPONSABLE")).to_be_visible()
    await page.get_by_role("link", name="Eventos").click()
    await expect(page.get_by_text("El registro de eventos solo existe en el modo NO VERI*FACTU.")).to_be_visible()


async def test_the_guides_certificate_series_and_chain_are_where_it_says(visit, ana, tmp_path):
    file = tmp_path / "certificado.p12"
    file.write_bytes(person(ana.team["taxId"], kind="rsa", self_signed=True).pkcs12("secreta"))
    page = await visit(ana, "/settings")
    await page.get_by_role("link", name="Certificado").click()
    await page.locator("input[type=file]").set_input_files(file)
    await page.get_by_label("Contraseña del certificado").fill("secreta")
    await expect(page.get_by_label("El certificado es de un representante")).not_to_be_checked()
    await page.get_by_role("button", name="Subir el certificado").click()
    await expect(page.get_by_text("Fuera de la simulación este certificado no se admite")).to_be_visible()
    await page.get_by_role("button", name="Probar la conexión con la AEAT").click()
    await expect(page.get_by_text("La conexión con 127.0.0.1")).to_be_visible()
    await page.get_by_role("button", name="Quitar el certificado").click()
    await page.get_by_role("dialog").get_by_role("button", name="Quitar el certificado").click()
    await expect(page.get_by_text("No hay certificado propio.")).to_be_visible()

    await page.get_by_role("link", name="Empresa").click()
    await page.get_by_label("Serie de facturas").fill("B")
    await page.get_by_role("button", name="Guardar", exact=True).click()
    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    await page.goto("/einvoice?view=chain")
    await page.get_by_role("button", name="Continuar la cadena de otro programa").click()
    submit = page.get_by_role("dialog").get_by_role("button", name="Continuar la cadena", exact=True)
    await expect(submit).to_be_visible()
    assert (await ana.get("/api/teams/current"))["team"]["series"]["invoice"] == "B"
