"""Issuing from the editor: what is refused ends where it can be mended, and nothing waits for ever."""

import re

import pytest
from playwright.async_api import Locator, Page, Route, expect

from support.api import item
from support.office import eventually
from support.periods import YEAR
from support.windows import log_in

NO_TAX_ID = {"name": "Rótulos Ebro", "country": "ES", "address": "Calle Mayor 1", "postalCode": "50001"}
ISSUE = {"es": "Emitir", "en": "Issue"}


async def ask(page: Page, language: str = "es") -> Locator:
    """Ask for issuing; return the dialog."""
    await page.get_by_role("button", name=f"{ISSUE[language]}…").click()
    return page.get_by_role("dialog")


def button(dialog: Locator, language: str = "es") -> Locator:
    return dialog.get_by_role("button", name=ISSUE[language], exact=True)


@pytest.fixture
async def rejected(ana) -> str:
    """The id of an invoice that the authority refused."""
    one = await ana.invoice(items=[item(description="Diseño [sandbox:reject 1110]")])
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": one["id"]})
    return str(one["id"])


@pytest.mark.parametrize("language", [pytest.param("es", marks=pytest.mark.journey), "en"])
async def test_what_is_refused_at_issuing_ends_on_the_invoice_with_its_cause(visit, ana, language):
    one = await ana.invoice(items=[item(description="Revisión [sandbox:reject 1110]")])
    page = await visit(ana, f"/invoices/{one['id']}/edit", language=language)
    dialog = await ask(page, language)
    await expect(dialog).to_contain_text(f"F{YEAR}-0001")
    async with page.expect_response(lambda answer: answer.url.endswith("/emit") and answer.status == 422):
        await button(dialog, language).click()

    await expect(page).to_have_url(re.compile(f"/invoices/{one['id']}$"))
    await expect(page.get_by_role("alert").filter(has_text="1110")).to_be_visible()
    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"F{YEAR}-0001")
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_what_is_refused_from_the_list_of_drafts_ends_on_the_invoice_too(visit, ana):
    one = await ana.invoice(items=[item(description="Revisión [sandbox:reject 1110]")])
    page = await visit(ana, "/invoices?status=draft")
    await page.get_by_role("row").nth(1).get_by_role("button", name=re.compile("Más acciones")).click()
    await page.get_by_role("menuitem", name="Emitir").click()
    await button(page.get_by_role("dialog")).click()

    await expect(page).to_have_url(re.compile(f"/invoices/{one['id']}$"))
    await expect(page.get_by_role("alert").filter(has_text="1110")).to_be_visible()


async def test_the_editor_of_an_issued_invoice_leads_to_the_invoice(visit, ana, rejected):
    page = await visit(ana, f"/invoices/{rejected}/edit")

    await expect(page).to_have_url(re.compile(f"/invoices/{rejected}$"))
    await expect(page.get_by_role("alert").filter(has_text="1110")).to_be_visible()


async def from_records(page: Page) -> None:
    await page.goto("/einvoice?needsAction=true")
    await page.get_by_role("link", name="Corregir la factura").click()


async def from_dashboard(page: Page) -> None:
    await page.goto("/")
    await page.locator("main").get_by_role("link", name="1 registro rechazado o con errores").click()
    await page.get_by_role("link", name="Corregir la factura").click()


async def from_list(page: Page) -> None:
    await page.goto("/invoices")
    await page.wait_for_load_state("networkidle")  # what arrives moves the list, and a menu closes with that
    await page.get_by_role("row").nth(1).get_by_role("button", name=re.compile("Más acciones")).click()
    await page.get_by_role("menuitem", name="Corregir los datos").press("Enter")  # a click may miss a menu that moves


async def from_notice(page: Page) -> None:
    await page.goto("/invoices")
    await page.get_by_role("link", name=re.compile(f"F{YEAR}-0001")).first.click()
    await page.get_by_role("button", name="Corregir los datos").click()


@pytest.mark.parametrize("asked", [from_records, from_dashboard, from_list, from_notice])
async def test_every_way_to_correct_opens_the_correction(visit, ana, rejected, asked):
    page = await visit(ana, "about:blank")
    await asked(page)
    dialog = page.get_by_role("dialog", name="Corregir lo que ha rechazado la simulación")
    await expect(dialog).to_be_visible()
    await expect(page).to_have_url(re.compile(f"/invoices/{rejected}\\?open=correct$"))
    await dialog.get_by_label("Concepto de la línea 1").fill("Revisión")
    await dialog.get_by_role("button", name="Guardar y emitir de nuevo").click()

    await expect(dialog).to_have_count(0)
    assert (await ana.get(f"/api/invoices/{rejected}"))["einvoice"]["status"] == "accepted"


async def test_a_correction_that_is_refused_again_is_sent_again_from_where_it_stands(visit, ana, rejected):
    page = await visit(ana, f"/invoices/{rejected}?open=correct")
    dialog = page.get_by_role("dialog")
    again = dialog.get_by_role("button", name="Guardar y emitir de nuevo")
    await dialog.get_by_label("Concepto de la línea 1").fill("Diseño [sandbox:reject 1124]")
    await again.click()
    await expect(dialog.get_by_role("alert")).to_contain_text("1124")
    await dialog.get_by_label("Concepto de la línea 1").fill("Diseño")
    await again.click()

    await expect(dialog).to_have_count(0)
    assert (await ana.get(f"/api/invoices/{rejected}"))["einvoice"]["status"] == "accepted"


async def test_issuing_without_a_connection_says_so_and_is_tried_again(visit, ana):
    one = await ana.invoice()
    page = await visit(ana, f"/invoices/{one['id']}/edit")
    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    await page.context.set_offline(True)
    dialog = await ask(page)
    await expect(dialog.get_by_role("alert")).to_contain_text("No hay conexión")
    await expect(button(dialog)).not_to_have_attribute("aria-busy", "true")
    await page.context.set_offline(False)
    await button(dialog).click()
    await expect(dialog).to_contain_text(f"F{YEAR}-0001")
    await button(dialog).click()

    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"F{YEAR}-0001")


async def test_unsaved_changes_without_a_connection_are_issued_by_the_retry(visit, ana):
    one = await ana.invoice()
    page = await visit(ana, f"/invoices/{one['id']}/edit")
    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    await page.context.set_offline(True)
    await page.get_by_label("Notas").fill("Urgente")
    await page.get_by_role("button", name="Emitir…").click()
    notice = page.get_by_role("alert").filter(has_text="No hay conexión")
    await expect(notice).to_be_visible()
    await page.context.set_offline(False)
    await notice.get_by_role("button", name="Reintentar").click()

    await expect(page.get_by_role("dialog")).to_contain_text(f"F{YEAR}-0001")
    assert (await ana.get(f"/api/invoices/{one['id']}"))["notes"] == "Urgente"


async def test_what_is_typed_after_a_save_and_kept_by_a_reload_is_no_conflict(visit, ana):
    one = await ana.invoice()
    page = await visit(ana, f"/invoices/{one['id']}/edit")
    await page.get_by_label("Notas").fill("Urgente")
    async with page.expect_response(lambda answer: answer.request.method == "PUT" and answer.ok):
        await page.get_by_role("button", name="Guardar borrador").click()
    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()

    async def lose(route: Route) -> None:
        await (route.abort("connectionreset") if route.request.method == "PUT" else route.fallback())

    await page.route("**/api/invoices/*", lose)
    await page.get_by_label("Notas").fill("Urgente y frágil")
    await expect(page.get_by_role("alert").filter(has_text="No hay conexión")).to_be_visible()
    await page.unroute("**/api/invoices/*")
    await page.reload()

    await expect(page.get_by_label("Notas")).to_have_value("Urgente y frágil")
    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="Guardar lo mío")).to_have_count(0)
    assert (await ana.get(f"/api/invoices/{one['id']}"))["notes"] == "Urgente y frágil"


@pytest.mark.parametrize("dry", [True, False], ids=["rehearsal", "issuing"])
async def test_issuing_without_an_answer_ends_and_is_tried_again(visit, ana, dry):
    one = await ana.invoice()
    page = await visit.window()
    await log_in(page, ana)
    await page.clock.install()
    await page.goto(f"/invoices/{one['id']}/edit")
    silent: list[Route] = []

    async def answer_one_never(route: Route) -> None:
        is_dry = route.request.headers.get("dry-run") == "true"
        if is_dry is dry and not silent:
            silent.append(route)
        else:
            await route.fallback()

    await page.route("**/api/einvoice/emit", answer_one_never)
    dialog = await ask(page)
    if not dry:
        await expect(dialog).to_contain_text(f"F{YEAR}-0001")
        await button(dialog).click()
    await expect(button(dialog)).to_have_attribute("aria-busy", "true")
    await page.clock.fast_forward(90_000)
    await expect(dialog.get_by_role("alert")).to_contain_text("No hay conexión")
    await expect(button(dialog)).not_to_have_attribute("aria-busy", "true")  # the number is asked for again

    await button(dialog).click()
    if dry:
        await expect(dialog).to_contain_text(f"F{YEAR}-0001")
        await button(dialog).click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"F{YEAR}-0001")
    assert [invoice["number"] for invoice in await ana.get("/api/invoices")] == [f"F{YEAR}-0001"]


async def test_a_client_without_nif_is_completed_where_the_invoice_is_issued(visit, ana):
    client = await ana.post("/api/clients", NO_TAX_ID)
    one = await ana.invoice(client=None, clientId=client["id"])
    page = await visit(ana, f"/invoices/{one['id']}/edit")
    dialog = await ask(page)
    await expect(dialog.get_by_role("alert")).to_be_visible()
    await dialog.get_by_role("button", name="Completar los datos del cliente").click()
    card = page.get_by_role("dialog").last
    await card.get_by_label("NIF").fill("B64717838")
    await card.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_role("dialog")).to_have_count(1)
    await expect(dialog).to_contain_text(f"F{YEAR}-0001")
    await button(dialog).click()

    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"F{YEAR}-0001")
    issued = await ana.get(f"/api/invoices/{one['id']}")
    assert (issued["client"]["taxId"], issued["clientId"]) == ("B64717838", client["id"])


async def test_the_card_is_edited_in_the_editor_and_what_is_typed_goes_on(visit, ana):
    client = await ana.post("/api/clients", NO_TAX_ID)
    one = await ana.invoice(client=None, clientId=client["id"])
    page = await visit(ana, f"/invoices/{one['id']}/edit")
    await page.get_by_role("button", name="Editar cliente").click()
    await page.get_by_role("dialog").get_by_label("NIF").fill("B64717838")
    await page.get_by_role("dialog").get_by_role("button", name="Guardar").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.get_by_text("B64717838")).to_be_visible()
    await page.get_by_label("Notas").fill("Urgente")
    await page.get_by_role("button", name="Guardar borrador").click()

    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    stored = await ana.get(f"/api/invoices/{one['id']}")
    assert (stored["client"]["taxId"], stored["notes"]) == ("B64717838", "Urgente")


async def test_the_due_date_moves_with_the_issue_date(visit, ana):
    page = await visit(ana, "/invoices/new")
    await page.get_by_label("Fecha", exact=True).fill("2026-11-24")
    await page.get_by_label("Vencimiento", exact=True).fill("2026-12-24")

    await page.get_by_label("Fecha", exact=True).fill("2026-11-10")

    await expect(page.get_by_label("Vencimiento", exact=True)).to_have_value("2026-12-10")


async def test_a_date_is_that_of_the_issue_until_it_is_stated_and_is_cleared_again(visit, ana):
    one = await ana.invoice()
    page = await visit(ana, f"/invoices/{one['id']}/edit")
    field = page.get_by_label("Fecha", exact=True)
    await expect(field).to_have_value("")
    await expect(page.get_by_text("Si la dejas vacía, el día que la emitas.")).to_be_visible()

    await field.fill(one["issueDate"])
    await page.get_by_role("button", name="Guardar borrador").click()
    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    assert (await ana.get(f"/api/invoices/{one['id']}"))["issueDateStated"] is True

    await field.fill("")
    await page.get_by_role("button", name="Guardar borrador").click()
    await expect(page.get_by_text("Si la dejas vacía, el día que la emitas.")).to_be_visible()

    async def cleared():
        return not (await ana.get(f"/api/invoices/{one['id']}"))["issueDateStated"]

    await eventually(cleared)


async def test_a_stated_earlier_date_is_warned_of_before_it_is_issued(visit, ana):
    one = await ana.invoice(issueDate="2026-11-10")
    page = await visit(ana, f"/invoices/{one['id']}")

    await page.get_by_role("button", name="Emitir").first.click()

    await expect(page.get_by_role("dialog").get_by_text("ISSUE_DATE_KEPT")).to_be_visible()


async def test_starting_anew_is_taken_back(visit, ana):
    page = await visit(ana, "/invoices/new")
    await page.get_by_label("Notas").fill("Urgente")
    await page.get_by_role("button", name="Empezar de nuevo").click()
    await expect(page.get_by_label("Notas")).to_have_value("")

    await page.get_by_role("button", name="Deshacer").click()

    await expect(page.get_by_label("Notas")).to_have_value("Urgente")


async def test_that_a_client_is_new_is_not_covered(visit, ana):
    page = await visit(ana, "/invoices/new")
    await page.get_by_label("Nombre o razón social").fill("Nadie con este nombre")
    await expect(page.get_by_text("Sin coincidencias")).to_be_attached()

    told = page.get_by_text(re.compile("No está entre tus clientes"))
    await page.wait_for_function(
        "one => { const {x, y} = one.getBoundingClientRect();"
        " return one.contains(document.elementFromPoint(x + 5, y + 5)); }",
        arg=await told.element_handle(),
    )


@pytest.mark.parametrize("language", ["es", "en"])
async def test_the_dialog_names_the_declaration_of_a_filed_period(visit, ana, language):
    asked = {"country": "ES", "year": 2026, "period": "Q3", "form": "303"}
    form = (await ana.post("/api/tax-declarations/generate", asked))["declaration"]
    await ana.patch(f"/api/tax-declarations/{form['id']}/submit")
    late = await ana.invoice(issueDate="2026-09-30")
    page = await visit(ana, f"/invoices/{late['id']}/edit", language=language)

    dialog = await ask(page, language)

    await expect(dialog).to_contain_text("303 2026 Q3")
    assert (await ana.get(f"/api/invoices/{late['id']}"))["status"] == "draft"
