"""Expenses in the browser: receipts read in turn and accepted, typed ones, and what each role is offered."""

import pytest
from playwright.async_api import Page, expect

from support.receipts.specimens import Condition, Specimen, Split, specimen
from support.windows import tab_to

FILES = "input[type=file][multiple]"


@pytest.fixture(scope="module")
def receipt() -> Specimen:
    return specimen(0, Split.TUNED, Condition.PLAIN)


def as_file(receipt: Specimen, name: str = "ticket.png") -> dict:
    return {"name": name, "mimeType": "image/png", "buffer": receipt.png()}


async def to_be_checked(page: Page, times: int = 1) -> None:
    await expect(page.get_by_text("Por revisar", exact=True)).to_have_count(times)


async def test_a_photo_becomes_an_expense_with_its_picture_that_counts_in_vat(ana, visit, receipt):
    page = await visit(ana, "/expenses/inbox")
    await page.locator(FILES).set_input_files([as_file(receipt)])
    await to_be_checked(page)
    await expect(page.get_by_role("img", name="ticket.png")).to_be_visible()
    await expect(page.get_by_label("Total")).to_have_value(f"{receipt.truth.total}".replace(".", ","))
    await page.get_by_label("Concepto").fill("Material")
    await page.get_by_label("Total").fill("121")
    await page.get_by_role("textbox", name="IVA", exact=True).fill("21")
    await page.get_by_label("Fecha").fill("2026-11-02")
    await page.get_by_label("Proveedor", exact=True).fill("Papelera del Sur")
    await page.get_by_label("NIF del proveedor").fill("B12345674")
    await page.get_by_label("Número de factura").fill("A-1")
    await page.get_by_label("Documento", exact=True).select_option("invoice")
    await page.get_by_role("button", name="Aceptar").click()
    await expect(page.get_by_text("Aceptado", exact=True)).to_be_visible()

    [expense] = await ana.get("/api/expenses")
    assert (expense["amount"], expense["taxAmount"], expense["source"]) == (121, 21, "receipt_scan")
    assert len(await ana.get(f"/api/attachments?documentType=expense&documentId={expense['id']}")) == 1
    balance = await ana.get("/api/expenses/vat-balance?from=2026-10-01&to=2026-12-31")
    assert 21 in balance.values(), balance


async def test_a_receipt_is_accepted_by_keyboard_alone(ana, visit, receipt):
    page = await visit(ana, "/expenses/inbox")
    chooser = page.get_by_role("button", name="Elegir archivos")
    await expect(chooser).to_be_visible()
    await tab_to(page, chooser)
    async with page.expect_file_chooser() as choosing:
        await page.keyboard.press("Enter")
    await (await choosing.value).set_files([as_file(receipt, "uno.png")])
    await to_be_checked(page)
    await tab_to(page, page.get_by_label("Concepto"))
    await page.keyboard.type("Ja, ja")
    await expect(page.get_by_text("Aceptado", exact=True)).to_have_count(0)
    await tab_to(page, chooser)
    await page.keyboard.press("a")

    await expect(page.get_by_text("Aceptado", exact=True)).to_be_visible()
    [expense] = await ana.get("/api/expenses")
    assert expense["description"].endswith("Ja, ja") or expense["description"].startswith("Ja, ja")


async def test_files_wait_for_the_connection_to_come_back(ana, visit, receipt):
    page = await visit(ana, "/expenses/inbox")
    await expect(page.get_by_role("button", name="Elegir archivos")).to_be_visible()
    await page.context.set_offline(True)
    await page.locator(FILES).set_input_files([as_file(receipt, "uno.png")])
    await expect(page.get_by_text("No se ha podido leer")).to_be_visible()
    await expect(page.get_by_text("Los archivos siguen en esta página")).to_be_visible()
    await page.context.set_offline(False)
    await page.get_by_role("button", name="Reintentar").click()
    await to_be_checked(page)


async def test_an_amount_that_nobody_typed_is_not_zero(ana, visit):
    page = await visit(ana, "/expenses/new")
    await page.get_by_label("Concepto").fill("Material")
    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_label("Total")).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_text("Referencia:")).to_be_visible()
    assert await ana.get("/api/expenses") == []


@pytest.mark.journey
async def test_an_expense_is_typed_changed_and_deleted_after_a_question(ana, visit):
    hostile = "<img src=x onerror=alert(1)>"
    page = await visit(ana, "/expenses/new")
    await page.get_by_label("Concepto").fill(hostile)
    await page.get_by_label("Total").fill("1.210,50")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_role("heading", name=hostile)).to_be_visible()
    await page.get_by_label("Total").fill("60,5")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_text("10,50\u00a0€").last).to_be_visible()
    await expect(page.get_by_text("1.210,50\u00a0€")).to_have_count(0)
    [expense] = await ana.get("/api/expenses")
    assert (expense["amount"], expense["description"]) == (60.5, hostile)

    await page.get_by_role("button", name="Borrar").click()
    await page.get_by_role("dialog").get_by_role("button", name="Borrar").click()
    await expect(page.get_by_text("Aún no hay gastos")).to_be_visible()


async def test_a_viewer_reads_expenses_and_is_offered_nothing_else(ana, site, visit):
    expense = await ana.post("/api/expenses", {"description": "Tinta", "amount": 10, "date": "2026-11-02"})
    viewer = await site.member(ana, "viewer")
    await viewer.post(f"/api/teams/switch/{ana.team['id']}")
    page = await visit(viewer, "/expenses")
    await expect(page.get_by_role("link", name="Tinta")).to_be_visible()
    await expect(page.get_by_role("link", name="Nuevo gasto")).to_have_count(0)
    await page.goto(f"/expenses/{expense['id']}")
    await expect(page.get_by_role("heading", name="Tinta")).to_be_visible()
    for name in ("Guardar", "Borrar"):
        await expect(page.get_by_role("button", name=name)).to_have_count(0)
