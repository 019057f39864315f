"""Fiscal records: a rejection with its cause and its correction, annulment, chain, exports."""

import io
import zipfile

import pytest
from playwright.async_api import expect

from support.api import item
from support.windows import overflow, tab_to


@pytest.fixture
async def refused(ana):
    """An invoice that the authority refused."""
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:reject 1124]")])
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return invoice


@pytest.fixture
async def accepted(ana):
    invoice = await ana.invoice()
    return await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})


async def test_a_rejection_says_its_cause_and_is_corrected(visit, ana, refused):
    page = await visit(ana, "/einvoice?needsAction=true")
    row = page.get_by_role("row").filter(has_text="Rechazado")

    await expect(row).to_contain_text("El tipo de IVA no es ninguno de los que hubo ese día.")
    await expect(row).to_contain_text("Solución:")
    await expect(row).to_contain_text("Código 1124 de la AEAT")
    await expect(row.get_by_role("link", name="Corregir la factura")).to_have_attribute(
        "href", f"/invoices/{refused['id']}?open=correct"
    )
    await ana.put(f"/api/invoices/{refused['id']}", {"items": [item(description="Diseño")]})
    await row.get_by_role("button", name="Enviar de nuevo").click()
    await page.get_by_role("dialog").get_by_role("button", name="Enviar de nuevo").click()

    await expect(page.get_by_text("Ningún registro con este filtro.")).to_be_visible()
    await page.get_by_label("Solo lo que hay que corregir").uncheck()
    await expect(page.get_by_role("row").filter(has_text="Aceptado")).to_have_count(1)
    await expect(page.get_by_text("Ya corregido con un registro posterior.")).to_be_visible()


async def test_a_refused_correction_keeps_the_dialog_and_says_why(visit, ana, refused):
    page = await visit(ana, "/einvoice")

    await page.get_by_role("button", name="Enviar de nuevo").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Enviar de nuevo").click()

    await expect(dialog.get_by_role("alert")).to_contain_text("1124")
    await expect(dialog.get_by_role("alert")).to_contain_text("Referencia:")


@pytest.fixture
async def taken(ana):
    """An invoice whose number a document of other software, of 6,050.00, has at the authority."""
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:taken 605000]", unitPrice=7)])
    problem = await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return invoice["id"], problem["result"]["number"]


async def test_a_taken_number_is_explained_and_the_invoice_goes_out_under_the_next_one(visit, ana, taken):
    invoice_id, number = taken
    page = await visit(ana, f"/invoices/{invoice_id}")

    title = f"Simulación: la AEAT ya tendría otra factura con el número {number}"
    await expect(page.get_by_text(title)).to_be_visible()
    await expect(page.get_by_text("6.050,00")).to_be_visible()
    await expect(page.get_by_role("button", name="Emitir de nuevo")).to_have_count(0)
    await expect(page.get_by_role("button", name="Rectificar")).to_have_count(0)
    await page.get_by_role("button", name="Emitir con el siguiente número").click()

    await expect(page.get_by_text("Aceptada", exact=False).first).to_be_visible()
    after = await ana.get(f"/api/invoices/{invoice_id}")
    assert (after["number"] == number, after["einvoice"]["status"]) == (False, "accepted")


async def test_the_owner_replaces_what_the_authority_has_after_seeing_it(visit, ana, taken):
    invoice_id, number = taken
    page = await visit(ana, f"/invoices/{invoice_id}")

    await page.get_by_role("button", name="Sustituir lo que hay en la simulación").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("6.050,00")
    await expect(dialog).to_contain_text("No se puede deshacer")
    await dialog.get_by_role("button", name="Sustituir lo que hay en la simulación").click()

    await expect(dialog).to_have_count(0)
    after = await ana.get(f"/api/invoices/{invoice_id}")
    assert (after["number"], after["einvoice"]["status"]) == (number, "accepted")


async def test_the_list_of_records_sends_nothing_again_under_a_taken_number(visit, ana, taken):
    invoice_id, _ = taken
    page = await visit(ana, "/einvoice?needsAction=true")

    link = page.get_by_role("link", name="Resolver en la factura")
    await expect(link).to_have_attribute("href", f"/invoices/{invoice_id}")
    await expect(page.get_by_role("button", name="Enviar de nuevo")).to_have_count(0)


async def test_an_invoice_is_annulled_by_keyboard(visit, ana, accepted):
    page = await visit(ana, "/einvoice")

    await tab_to(page, page.get_by_role("button", name=f"Más acciones: {accepted['number']}"))
    await page.keyboard.press("Enter")
    await page.get_by_role("menuitem", name="Anular la factura").focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("dialog").get_by_label("Motivo").fill("Duplicada")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")

    await expect(page.get_by_role("row").filter(has_text="Anulado")).to_have_count(1)
    await page.goto("/einvoice?status=annulled")
    await expect(page.get_by_role("row").filter(has_text=accepted["number"])).to_have_count(1)


async def test_the_history_names_each_step(visit, ana, refused):
    page = await visit(ana, "/einvoice")

    await page.get_by_role("button", name="Más acciones").click()
    await page.get_by_role("menuitem", name="Historial").click()

    dialog = page.get_by_role("dialog")
    for step in ("Registro hecho", "Entregado a la simulación", "Respuesta de la simulación", "Código 1124"):
        await expect(dialog).to_contain_text(step)


async def test_the_chain_is_checked_on_demand_and_exported(visit, ana, accepted, tmp_path):
    page = await visit(ana, "/einvoice?view=chain")

    await page.get_by_role("button", name="Comprobar ahora").click()
    await expect(page.get_by_text("La última comprobación no encontró nada: 1 registro,")).to_be_visible()
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Descargar ZIP").click()
    await (await waiting.value).save_as(tmp_path / "records.zip")

    with zipfile.ZipFile(io.BytesIO((tmp_path / "records.zip").read_bytes())) as archive:
        assert "manifest.json" in archive.namelist()


IMPORTED_SINCE = {
    "es": ("Comprobar ahora", "1 factura importada con fecha desde tu primer registro"),
    "en": ("Check now", "1 imported invoice dated since your first record"),
}


@pytest.mark.parametrize("language", IMPORTED_SINCE)
async def test_what_was_imported_since_the_first_record_is_named(visit, ana, accepted, language):
    check, title = IMPORTED_SINCE[language]
    day = (await ana.get(f"/api/invoices/{accepted['invoiceId']}"))["issueDate"]
    row = {"number": "OTRO-7", "issueDate": day, "clientName": "Ana", "base": 100, "taxRate": 21}
    await ana.post("/api/invoices/import", {"rows": [row]})
    page = await visit(ana, "/einvoice?view=chain", language=language)

    await page.get_by_role("button", name=check).click()

    await expect(page.get_by_text(title)).to_be_visible()
    [found] = (await ana.get("/api/einvoice/chain?verify=true"))["unrecorded"]["imported"]
    link = page.get_by_role("link", name="OTRO-7")
    await expect(link).to_have_attribute("href", f"/invoices/{found['invoiceId']}")


async def test_the_producer_s_declaration_is_shown_item_by_item(visit, ana):
    page = await visit(ana, "/einvoice?view=producer")

    await expect(page.get_by_text("1.k) Declaración de cumplimiento")).to_be_visible()
    await expect(page.get_by_text("Desde cuándo es obligatorio")).to_be_visible()
    announced = page.get_by_role("listitem").filter(has_text="Anunciado, no aprobado")
    await expect(announced).to_have_count(2)
    await expect(announced.first).to_contain_text("octubre de 2028 (Nota del Ministerio de Hacienda")


async def test_a_setting_that_production_lacks_is_named_as_the_operator_s(visit, ana):
    await ana.put("/api/teams/current", {"city": None})
    page = await visit(ana, "/einvoice?view=live")
    missing = page.locator(".notice").filter(has_text="Faltan")

    lacks = (await ana.get("/api/go-live"))["missing"]
    await expect(missing.get_by_role("listitem")).to_have_count(len(lacks))
    producer = missing.get_by_role("listitem").filter(has_text="LEDGERKIT_VERIFACTU_PRODUCER_NAME:")
    await expect(producer).to_contain_text("Es un ajuste del servidor: lo pone quien lo lleva.")
    town = missing.get_by_role("listitem").filter(has_text="Falta la población de quien emite.")
    await expect(town).to_contain_text("Complétala en «Ajustes: Empresa».")
    await expect(missing.get_by_role("link", name="Ir a los datos de la empresa")).to_be_visible()
    await expect(page.get_by_role("button", name="Empezar de verdad…")).to_have_count(0)


async def test_a_viewer_reads_and_is_offered_no_change(visit, site, ana, refused):
    viewer = await site.member(ana, "viewer")
    page = await visit(viewer, "/einvoice")

    await expect(page.get_by_text("Código 1124 de la AEAT")).to_be_visible()
    await expect(page.get_by_role("button", name="Enviar de nuevo")).to_have_count(0)
    await expect(page.get_by_role("link", name="Corregir la factura")).to_have_count(0)


async def test_the_screen_is_accessible_and_fits_a_telephone(visit, ana, refused, violations):
    page = await visit(ana, "about:blank", width=360, height=740, language="en")
    for view in ("", "?view=chain", "?view=events", "?view=producer"):
        await page.goto(f"/einvoice{view}")
        await expect(page.get_by_role("navigation", name="Parts"), view).to_be_visible()
        await page.wait_for_load_state("networkidle")

        assert await violations(page) == [], view
        assert await overflow(page) <= 0, view
