"""A number that cannot be read is never sent as its readable beginning: it blocks, and its field says so."""

import re

import pytest
from playwright.async_api import Locator, Page, Request, expect

from support.windows import log_in

UNREADABLE = ["1,2,3", "12..50", "30 días", "1.250,5o"]
SAYS_WHY = re.compile("Escribe un número")


def changes_of(page: Page) -> list[Request]:
    """The changes that the page asks the server for, from now on; what is computed only is none."""
    asked: list[Request] = []

    def note(request: Request) -> None:
        if request.method != "GET" and "/api/" in request.url and not request.url.endswith("/preview"):
            asked.append(request)

    page.on("request", note)
    return asked


async def expect_blocked(page: Page, field: Locator, typed: str, asked: list[Request]) -> None:
    await expect(field).to_be_focused()
    await expect(field).to_have_value(typed)
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_text(SAYS_WHY).first).to_be_visible()
    assert [request.url for request in asked] == []


@pytest.mark.parametrize("typed", UNREADABLE)
async def test_an_expense_is_not_saved_with_part_of_its_amount(visit, ana, typed):
    page = await visit(ana, "/expenses/new")
    asked = changes_of(page)
    total = page.get_by_label("Total")
    await page.get_by_label("Concepto").fill("Material")
    await total.fill(typed)

    await total.press("Enter")
    await expect_blocked(page, total, typed, asked)
    await page.get_by_role("button", name="Guardar").click()
    await expect_blocked(page, total, typed, asked)
    await page.reload()
    await expect(total).to_have_value(typed)
    await total.fill("12,50")
    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_role("heading", name="Material")).to_be_visible()
    [stored] = await ana.get("/api/expenses")
    assert stored["amount"] == 12.5


async def test_a_number_in_a_folded_part_of_the_form_is_shown(visit, ana):
    page = await visit(ana, "/expenses/new")
    asked = changes_of(page)
    await page.get_by_label("Concepto").fill("Material")
    await page.get_by_label("Total").fill("121")
    await page.get_by_text("Más datos fiscales").click()
    retention = page.get_by_label("Retención")
    await retention.fill("15 por ciento")
    await page.get_by_text("Más datos fiscales").click()

    await page.get_by_role("button", name="Guardar").click()

    await expect_blocked(page, retention, "15 por ciento", asked)


async def test_an_invoice_has_no_false_total_and_is_not_saved(visit, ana):
    page = await visit(ana, "/invoices/new")
    asked = changes_of(page)
    await page.get_by_label("Nombre o razón social").fill("Talleres Norte")
    await page.get_by_label("Concepto", exact=True).fill("Carteles")
    price = page.get_by_label("Precio", exact=True)
    await price.fill("12")
    await expect(page.get_by_role("status", name="Totales")).to_contain_text("14,52")

    await price.fill("12..50")
    await expect(page.get_by_role("status", name="Totales")).not_to_contain_text("€")
    await page.get_by_role("button", name="Guardar borrador").click()
    await expect_blocked(page, price, "12..50", asked)
    await page.get_by_role("button", name="Emitir").click()
    await expect_blocked(page, price, "12..50", asked)
    await price.fill("12,50")
    await page.get_by_role("button", name="Guardar borrador").click()

    await expect(page).to_have_url(re.compile("/edit$"))
    [draft] = await ana.get("/api/invoices")
    assert draft["items"][0]["unitPrice"] == 12.5


async def test_a_draft_is_not_autosaved_with_part_of_a_number(visit, ana):
    body = {"client": {"name": "Talleres Norte"}, "items": [{"description": "Carteles", "unitPrice": 10}]}
    draft = await ana.post("/api/invoices", body)
    page = await visit.window()
    await log_in(page, ana)
    await page.clock.install()
    await page.goto(f"/invoices/{draft['id']}/edit")
    asked = changes_of(page)
    quantity = page.get_by_label("Cantidad")
    await quantity.fill("1,2,3")
    await page.get_by_label("Notas").fill("Urgente")
    await page.clock.run_for(10_000)
    await expect(page.get_by_text("Sin guardar")).to_be_visible()
    await page.get_by_role("button", name="Guardar borrador").click()
    await expect_blocked(page, quantity, "1,2,3", asked)

    await quantity.fill("3")
    await page.clock.run_for(10_000)

    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    assert len(asked) == 1
    assert [line["quantity"] for line in (await ana.get(f"/api/invoices/{draft['id']}"))["items"]] == [3]


async def open_client(page: Page) -> tuple[Locator, Locator]:
    await page.goto("/clients")
    await page.get_by_role("button", name="Nuevo cliente").first.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Nombre o razón social").fill("Talleres Norte")
    return dialog.get_by_label("Días para pagar"), dialog.get_by_role("button", name="Guardar")


async def open_vendor(page: Page) -> tuple[Locator, Locator]:
    await page.goto("/vendors")
    await page.get_by_role("button", name="Nuevo proveedor").first.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Nombre").fill("Rótulos Ebro")
    return dialog.get_by_label("Plazo de pago"), dialog.get_by_role("button", name="Guardar")


async def open_company(page: Page) -> tuple[Locator, Locator]:
    await page.goto("/settings")
    return page.get_by_label("Plazo de pago"), page.get_by_role("button", name="Guardar")


async def open_item(page: Page) -> tuple[Locator, Locator]:
    await page.goto("/catalog/new")
    await page.get_by_label("Nombre").fill("Taza")
    return page.get_by_label("Precio"), page.get_by_role("button", name="Crear")


async def open_payable(page: Page) -> tuple[Locator, Locator]:
    await page.goto("/payables/new")
    await page.get_by_label("Concepto").fill("Carteles")
    return page.get_by_label("Cantidad"), page.get_by_role("button", name="Guardar")


async def open_till(page: Page) -> tuple[Locator, Locator]:
    await page.goto("/till")
    return page.get_by_label("Cambio inicial"), page.get_by_role("button", name="Abrir caja")


async def test_no_form_sends_a_number_that_cannot_be_read(visit, ana):
    page = await visit(ana, "about:blank")
    asked = changes_of(page)
    for opened in (open_client, open_vendor, open_company, open_item, open_payable, open_till):
        field, button = await opened(page)
        await field.fill("30 días")

        await field.press("Enter")
        await button.click()

        await expect_blocked(page, field, "30 días", asked)


async def test_a_count_of_coins_that_cannot_be_read_closes_no_till(visit, ana):
    page = await visit(ana, "/till")
    await page.get_by_label("Cambio inicial").fill("20")
    await page.get_by_role("button", name="Abrir caja").click()
    await page.get_by_role("button", name="Más de la caja").click()
    await page.get_by_role("menuitem", name="Cerrar caja").click()
    dialog = page.get_by_role("dialog")
    asked = changes_of(page)
    twenties = dialog.get_by_label("Billete de 20,00")
    await twenties.fill("1o")

    await twenties.press("Enter")

    await expect(twenties).to_be_focused()
    await expect(dialog.get_by_text("Escribe cuántos hay")).to_be_visible()
    assert [request.url for request in asked] == []
