"""Invoices in the browser: listed, drafted, issued, paid, corrected; by mouse and by keyboard, by each role."""

import io
import zipfile

import httpx2
import pytest
from playwright.async_api import Page, expect

from support.api import CLIENT, item
from support.periods import YEAR
from support.windows import tab_to

HOSTILE = "<b>Ñandú</b> & «=1+1» \u202eodal 🍕"


LOSE_ONE_ANSWER = """(path) => {
  const send = window.fetch;
  let isLost = false;
  window.fetch = async (request) => {
    const answer = await send(request);
    if (isLost || !request.url.endsWith(path)) return answer;
    isLost = true;
    throw new TypeError("the connection is gone");
  };
}"""
"""Lets the next answer of a path arrive nowhere, after the server has done what it was asked."""


async def client(api, **fields) -> dict:
    return await api.post("/api/clients", {"name": "Talleres Norte", "taxId": "B12345674", **fields})


async def draft(api, **fields) -> dict:
    return await api.post("/api/invoices", {"client": CLIENT, "items": [item()], **fields})


async def issued(api, **fields) -> dict:
    one = await draft(api, **fields)
    await api.post("/api/einvoice/emit", {"invoiceId": one["id"]})
    return await api.get(f"/api/invoices/{one['id']}")


async def choose_client(page: Page, name: str) -> None:
    field = page.get_by_label("Nombre o razón social")
    await field.fill(name)
    await page.get_by_role("option", name=name).click()


def line(page: Page, place: int):
    return page.get_by_role("list", name="Conceptos").get_by_role("listitem").nth(place)


def total(page: Page):
    return page.get_by_role("status", name="Totales")


async def test_an_invoice_from_the_first_line_to_its_payment(ana, visit):
    await client(ana, email="pagos@norte.example")
    page = await visit(ana, "/invoices")
    await page.get_by_role("link", name="Nueva factura").click()
    await choose_client(page, "Talleres Norte")
    await line(page, 0).get_by_label("Concepto").fill("Identidad visual")
    await line(page, 0).get_by_label("Precio").fill("1.200,50")
    await expect(total(page)).to_contain_text("1.452,61")

    await page.get_by_role("button", name="Emitir…").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text(f"F{YEAR}-0001")
    await dialog.get_by_role("button", name="Emitir", exact=True).click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"F{YEAR}-0001")
    await expect(page.get_by_role("main")).to_contain_text("Aceptada (simulación)")

    await page.get_by_role("button", name="Registrar cobro").first.click()
    await page.get_by_label("Importe").fill("400")
    await expect(page.get_by_role("dialog")).to_contain_text("Quedarán por cobrar 1.052,61")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await page.get_by_role("button", name="Registrar cobro").first.click()
    await expect(page.get_by_label("Importe")).to_have_value("1052,61")
    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_text("Cobrada", exact=True)).to_be_visible()
    [invoice] = await ana.get("/api/invoices")
    assert (invoice["status"], invoice["total"], invoice["balance"]) == ("paid", 1452.61, 0)


async def test_totals_while_typing_need_no_server(ana, visit):
    page = await visit(ana, "/invoices/new")
    await page.get_by_label("Retención de IRPF").wait_for()
    await page.context.set_offline(True)

    await line(page, 0).get_by_label("Precio").fill("33,33")
    await line(page, 0).get_by_label("Cantidad").fill("3")
    await page.get_by_label("Retención de IRPF").fill("15")

    await expect(total(page)).to_contain_text("105,99")
    await expect(total(page)).to_contain_text("-15,00")
    await page.context.set_offline(False)


async def test_what_is_typed_survives_a_reload_and_a_lost_connection(ana, visit):
    await client(ana)
    page = await visit(ana, "/invoices/new")
    await choose_client(page, "Talleres Norte")
    await line(page, 0).get_by_label("Concepto").fill(HOSTILE)
    await line(page, 0).get_by_label("Precio").fill("10")
    await page.reload()
    await expect(line(page, 0).get_by_label("Concepto")).to_have_value(HOSTILE)

    await page.context.set_offline(True)
    await page.get_by_role("button", name="Guardar borrador").click()
    await expect(page.get_by_role("alert")).to_contain_text("No hay conexión")
    await page.context.set_offline(False)
    await page.get_by_role("button", name="Guardar borrador").click()
    await page.wait_for_url("**/edit")

    [saved] = await ana.get("/api/invoices")
    assert [one["description"] for one in saved["items"]] == [HOSTILE]
    assert saved["client"]["name"] == "Talleres Norte"


async def test_lines_by_keyboard(ana, visit):
    page = await visit(ana, "/invoices/new")
    await line(page, 0).get_by_label("Concepto").focus()
    await page.keyboard.type("Uno")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(line(page, 1).get_by_label("Concepto")).to_be_focused()
    await page.keyboard.type("Dos")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Alt+ArrowUp")

    await expect(line(page, 0).get_by_label("Concepto")).to_have_value("Dos")
    await expect(line(page, 0).get_by_label("Cantidad")).to_be_focused()
    await page.keyboard.press("Alt+ArrowDown")
    await expect(line(page, 1).get_by_label("Cantidad")).to_be_focused()
    await expect(line(page, 0).get_by_label("Concepto")).to_have_value("Uno")


async def test_a_catalog_item_fills_its_line_and_a_wrong_nif_is_said_at_its_field(ana, visit):
    await ana.post("/api/catalog", {"name": "Libro de visitas", "unitPrice": 18, "taxRate": 4})
    page = await visit(ana, "/invoices/new")
    await line(page, 0).get_by_label("Concepto").fill("libro")
    await page.get_by_role("option", name="Libro de visitas").click()
    await expect(line(page, 0).get_by_label("Precio")).to_have_value("18")
    await expect(line(page, 0).get_by_label("IVA")).to_have_value("4")

    await page.get_by_label("Nombre o razón social").fill("Nueva Clienta")
    await page.keyboard.press("Tab")
    await page.get_by_label("NIF").fill("B00000001")
    await page.get_by_role("button", name="Crear cliente").click()
    await expect(page.get_by_label("NIF")).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_text("Referencia:")).to_be_visible()
    await page.get_by_label("NIF").fill("B12345674")
    await page.get_by_role("button", name="Crear cliente").click()

    await expect(page.get_by_role("button", name="Otro cliente")).to_be_visible()
    assert [one["name"] for one in await ana.get("/api/clients")] == ["Nueva Clienta"]


async def test_a_stored_draft_is_saved_while_typing_and_never_over_another_change(ana, visit):
    one = await draft(ana)
    page = await visit(ana, f"/invoices/{one['id']}/edit")
    async with page.expect_response(lambda answer: answer.request.method == "PUT"):
        await page.get_by_label("Notas").fill("Gracias")
    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    await expect(page.get_by_title("PDF del borrador")).to_be_visible()
    stored = await ana.get(f"/api/invoices/{one['id']}")
    assert stored["notes"] == "Gracias"

    await ana.put(f"/api/invoices/{one['id']}", {"terms": "Al contado"})
    await page.get_by_label("Notas").fill("Muchas gracias")
    await expect(page.get_by_role("alert")).to_contain_text("Alguien ha cambiado este borrador")
    await page.get_by_role("button", name="Quedarme con lo suyo").click()

    await expect(page.get_by_label("Condiciones")).to_have_value("Al contado")
    await expect(page.get_by_label("Notas")).to_have_value("Gracias")


async def test_the_list_keeps_its_filters_in_the_address(ana, visit):
    for number in range(52):
        await draft(ana, notes=f"Pedido {number}")
    one = await issued(ana)
    page = await visit(ana, "/invoices")
    await expect(page.get_by_role("link", name="Borradores 52")).to_be_visible()
    await expect(page.get_by_role("link", name="Emitidas 1")).to_be_visible()
    await page.get_by_role("link", name="Borradores").click()
    await page.get_by_role("button", name="Siguiente").click()
    await expect(page.get_by_role("row")).to_have_count(3)
    await page.reload()
    await expect(page.get_by_role("row")).to_have_count(3)

    await page.goto(f"/invoices?search={one['number']}")
    await expect(page.get_by_role("row")).to_have_count(2)
    await page.get_by_label("Tipo").select_option("simplified")
    await expect(page.get_by_text("Ninguna factura coincide")).to_be_visible()


async def test_a_deleted_draft_comes_back(ana, visit):
    one = await draft(ana)
    page = await visit(ana, "/invoices")
    await page.get_by_role("button", name="Más acciones: Borrador").click()
    await page.get_by_role("menuitem", name="Borrar borrador").click()
    await expect(page.get_by_text("Todavía no hay facturas")).to_be_visible()
    await page.get_by_role("button", name="Deshacer").click()

    await expect(page.get_by_role("link", name="Borrador", exact=True)).to_be_visible()
    assert (await ana.get(f"/api/invoices/{one['id']}"))["deletedAt"] is None


async def test_the_pdfs_of_chosen_invoices_come_in_one_file(ana, visit):
    numbers = [(await issued(ana))["number"] for _ in range(2)]
    page = await visit(ana, "/invoices")
    await page.get_by_label("Seleccionar esta página").check()
    async with page.expect_download() as started:
        await page.get_by_role("button", name="Descargar PDF (ZIP)").click()
    file = await (await started.value).path()

    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
        assert archive.testzip() is None
        assert all(any(number in name for name in archive.namelist()) for number in numbers)
        assert {archive.read(name)[:4] for name in archive.namelist()} == {b"%PDF"}


async def test_an_import_is_tried_before_it_is_done(ana, visit):
    page = await visit(ana, "/invoices")
    await page.get_by_role("button", name="Importar").click()
    chooser = page.locator("dialog input[type=file]")
    head = "number;issueDate;clientName;base;taxRate"
    wrong = f"{head}\nA-1;2026-03-05;Ana;cien;21\n"
    await chooser.set_input_files({"name": "ventas.csv", "mimeType": "text/csv", "buffer": wrong.encode()})
    await expect(page.get_by_role("dialog").get_by_role("table")).to_contain_text("base")
    assert await ana.get("/api/invoices") == []

    right = f"{head}\nA-1;2026-03-05;Ana Núñez;100,00;21\n"
    await chooser.set_input_files({"name": "ventas.csv", "mimeType": "text/csv", "buffer": right.encode("latin-1")})
    await page.get_by_role("button", name="Importar 1 documento").click()

    await expect(page.get_by_role("link", name="A-1")).to_be_visible()
    [imported] = await ana.get("/api/invoices")
    assert (imported["origin"], imported["client"]["name"]) == ("external", "Ana Núñez")


async def test_a_credit_note_gives_a_part_back(ana, visit):
    one = await issued(ana, items=[item(quantity=2, unitPrice=100), item(description="Libro", unitPrice=20)])
    page = await visit(ana, f"/invoices/{one['id']}")
    await expect(page.get_by_text("Emitida: ya no se puede cambiar")).to_be_visible()
    await page.get_by_role("button", name="Rectificar").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Motivo").select_option("R1")
    await dialog.get_by_label("Qué se devuelve").select_option("part")
    await dialog.get_by_label("Cantidad").nth(0).fill("1")
    await dialog.get_by_label("Cantidad").nth(1).fill("0")
    await dialog.get_by_role("button", name="Emitir rectificativa").click()

    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"R{YEAR}-0001")
    note = next(one for one in await ana.get("/api/invoices") if one["docType"] == "credit_note")
    assert (note["total"], note["correctionReason"], note["rectifies"]) == (-121, "R1", one["id"])


async def test_what_should_not_have_been_issued_is_annulled(ana, visit):
    one = await issued(ana)
    page = await visit(ana, f"/invoices/{one['id']}")
    await page.get_by_role("button", name=f"Más acciones: {one['number']}").click()
    await page.get_by_role("menuitem", name="Anular").click()
    await page.get_by_label("Motivo (no se envía)").fill("De prueba")
    await page.get_by_role("dialog").get_by_role("button", name="Anular").click()

    await expect(page.get_by_text("Esta factura está anulada")).to_be_visible()
    await expect(page.get_by_role("button", name="Rectificar")).to_have_count(0)


async def test_the_link_is_shared_and_taken_back(ana, visit):
    one = await issued(ana)
    page = await visit(ana, f"/invoices/{one['id']}")
    await page.get_by_label("Compartir con un enlace").click()
    await expect(page.get_by_role("button", name="Copiar: Enlace")).to_be_visible()
    shared = (await ana.get(f"/api/invoices/{one['id']}"))["shareUrl"]
    await expect(page.get_by_text(shared)).to_be_visible()
    await page.get_by_label("Compartir con un enlace").click()

    await expect(page.get_by_text("Nadie la ve sin entrar.")).to_be_visible()
    assert (await ana.get(f"/api/invoices/{one['id']}"))["shareUrl"] is None


async def test_the_history_says_when_the_client_opened_the_link(ana, site, visit):
    one = await issued(ana)
    shared = await ana.post(f"/api/invoices/{one['id']}/share")
    page = await visit(ana, f"/invoices/{one['id']}")
    history = page.locator(".timeline")
    await expect(history.get_by_text("Emitida")).to_be_visible()
    await page.goto(f"/s/{shared['shareToken']}")
    await page.goto(f"/invoices/{one['id']}")
    await expect(history.get_by_text("Emitida")).to_be_visible()
    await expect(history.get_by_text("Enlace público abierto por primera vez")).to_have_count(0)

    async with httpx2.AsyncClient(base_url=site.url, timeout=60) as stranger:
        assert (await stranger.get(f"/s/{shared['shareToken']}")).status_code == 200
    await page.reload()

    await expect(history.get_by_text("Enlace público abierto por primera vez")).to_be_visible()


@pytest.mark.parametrize("role", ["member", "viewer"])
async def test_a_role_is_not_offered_what_it_may_not_do(ana, site, visit, role):
    one = await issued(ana)
    theirs = await draft(ana)
    person = await site.member(ana, role)
    await person.post(f"/api/teams/switch/{ana.team['id']}")
    page = await visit(person, f"/invoices/{one['id']}")
    await expect(page.get_by_role("heading", level=1)).to_contain_text(one["number"])
    for name in ("Registrar cobro", "Enviar…", "Rectificar", "Emitir…"):
        await expect(page.get_by_role("button", name=name)).to_have_count(0)

    await page.goto(f"/invoices/{theirs['id']}/edit")
    await expect(page.get_by_text("No puedes cambiar este borrador")).to_be_visible()
    await page.goto("/invoices")
    await expect(page.get_by_role("link", name=one["number"])).to_be_visible()
    await expect(page.get_by_role("link", name="Nueva factura")).to_have_count(1 if role == "member" else 0)


async def test_a_member_drafts_and_does_not_issue(ana, site, visit):
    await client(ana)
    person = await site.member(ana, "member")
    await person.post(f"/api/teams/switch/{ana.team['id']}")
    page = await visit(person, "/invoices/new")
    await choose_client(page, "Talleres Norte")
    await line(page, 0).get_by_label("Concepto").fill("Identidad visual")
    await page.keyboard.press("Tab")
    await page.get_by_role("button", name="Guardar borrador").click()
    await page.wait_for_url("**/edit")
    await page.get_by_label("Notas").fill("Para revisar")

    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="Emitir…")).to_have_count(0)
    await expect(page.get_by_role("button", name="Borrar borrador")).to_have_count(0)


async def test_create_issue_and_mail_by_keyboard_alone(ana, site, visit):
    await client(ana, email="pagos@norte.example")
    before = len(site.mails.to("pagos@norte.example"))
    page = await visit(ana, "/invoices/new")
    dialog = page.get_by_role("dialog")
    await tab_to(page, page.get_by_label("Nombre o razón social"))
    await page.keyboard.type("Talleres")
    await expect(page.get_by_role("option", name="Talleres Norte")).to_be_visible()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Otro cliente")).to_be_visible()
    await tab_to(page, line(page, 0).get_by_label("Concepto"))
    await page.keyboard.type("Identidad visual")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.type("100")
    await tab_to(page, page.get_by_role("button", name="Emitir…"))
    await page.keyboard.press("Enter")
    await expect(dialog).to_contain_text(f"F{YEAR}-0001")
    await tab_to(page, dialog.get_by_role("button", name="Emitir", exact=True))
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"F{YEAR}-0001")

    await tab_to(page, page.get_by_role("button", name="Enviar…"))
    await page.keyboard.press("Enter")
    await tab_to(page, dialog.get_by_role("button", name="Guardar el mensaje"))
    await page.keyboard.press("Enter")
    await expect(dialog.get_by_role("button", name="Guardar de todas formas")).to_be_focused()
    await page.keyboard.press("Enter")

    await expect(page.get_by_text("El mensaje para pagos@norte.example no ha salido")).to_be_visible()
    assert len(site.mails.to("pagos@norte.example")) == before + 1


@pytest.mark.journey
async def test_an_invoice_whose_answer_is_lost_is_issued_once(ana, visit):
    one = await draft(ana)
    page = await visit(ana, f"/invoices/{one['id']}")
    await page.get_by_role("button", name="Emitir…").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text(f"F{YEAR}-0001")

    await page.evaluate(LOSE_ONE_ANSWER, "/api/einvoice/emit")
    await dialog.get_by_role("button", name="Emitir", exact=True).click()
    await expect(dialog.get_by_role("alert")).to_contain_text("No hay conexión")
    await dialog.get_by_role("button", name="Emitir", exact=True).click()

    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"F{YEAR}-0001")
    assert [invoice["number"] for invoice in await ana.get("/api/invoices")] == [f"F{YEAR}-0001"]


async def test_a_client_and_texts_of_any_kind_stay_text(ana, visit):
    hostile = {**CLIENT, "name": HOSTILE, "taxId": None}
    one = await draft(ana, client=hostile, notes=HOSTILE * 100, items=[item(description=HOSTILE)])
    page = await visit(ana, f"/invoices/{one['id']}", width=360)
    await expect(page.get_by_role("rowheader", name="<b>Ñandú</b>")).to_be_visible()

    for path in ("/invoices", f"/clients/{one['clientId']}", f"/invoices/{one['id']}/edit"):
        await page.goto(path)
        await page.wait_for_load_state("networkidle")
        assert await page.locator("main b").count() == 0
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


async def test_a_rejection_says_its_cause_and_is_corrected_with_the_same_number(ana, visit):
    one = await draft(ana, items=[item(description="Revisión [sandbox:reject 1110]")])
    page = await visit(ana, f"/invoices/{one['id']}")
    await page.get_by_role("button", name="Emitir…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Emitir", exact=True).click()
    await expect(page.get_by_role("dialog").get_by_role("alert")).to_be_visible()
    await page.get_by_role("dialog").get_by_role("button", name="Cancelar").click()
    await expect(page.get_by_text("Simulación: la AEAT rechazaría esta factura")).to_be_visible()
    await expect(page.get_by_text("Qué hacer:")).to_be_visible()
    await expect(page.get_by_role("link", name="Ver en VERI*FACTU")).to_be_visible()

    await page.get_by_role("button", name="Corregir los datos").click()
    await page.get_by_label("Concepto de la línea 1").fill("Revisión")
    await page.get_by_role("button", name="Guardar y emitir de nuevo").click()

    await expect(page.get_by_text("Aceptada (simulación)", exact=True)).to_be_visible()
    stored = await ana.get(f"/api/invoices/{one['id']}")
    assert (stored["number"], stored["einvoice"]["status"]) == (f"F{YEAR}-0001", "accepted")
