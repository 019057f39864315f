"""The editor says wrong tax while one drafts, and stops when it is right."""

import pytest
from playwright.async_api import Page, expect

from support.api import ADDRESS, Api

GERMAN = {"name": "Beispiel GmbH", "taxId": "DE811569869", "country": "DE", "address": "Hauptstr. 1"}
PERSON = {"name": "Lucía Vega", "taxId": "00000014Z", "country": "ES", "address": "Calle Sur 3"}


@pytest.fixture
async def owner(ana) -> Api:
    await ana.put("/api/teams/current", ADDRESS)
    return ana


async def drafting(page: Page, name: str) -> None:
    """Draft one line for this client."""
    await page.get_by_label("Nombre o razón social").fill(name)
    await page.get_by_role("option", name=name).click()
    line = page.get_by_role("list", name="Conceptos").get_by_role("listitem").first
    await line.get_by_label("Concepto").fill("Identidad visual")
    await line.get_by_label("Precio").fill("100")


async def test_iva_for_a_business_abroad_until_the_line_says_that_it_is_a_service(owner, visit, violations):
    await owner.post("/api/clients", GERMAN)
    page = await visit(owner, "/invoices/new")
    await drafting(page, GERMAN["name"])
    doubt = page.get_by_text("El cliente es una empresa de otro país de la UE y lleva IVA")
    await expect(doubt).to_be_visible()
    assert await violations(page) == []

    vat = page.get_by_role("list", name="Conceptos").get_by_label("IVA")
    await vat.select_option("intra_eu_services")

    await expect(page.get_by_role("status", name="Totales")).to_contain_text("100,00")
    await expect(doubt).to_have_count(0)


async def test_iva_for_a_business_abroad_until_the_place_is_here(owner, visit):
    await owner.post("/api/clients", GERMAN)
    page = await visit(owner, "/invoices/new")
    await drafting(page, GERMAN["name"])
    doubt = page.get_by_text("El cliente es una empresa de otro país de la UE y lleva IVA")
    await expect(doubt).to_be_visible()

    await page.get_by_label("Lugar de la operación").fill("ES")

    await expect(doubt).to_have_count(0)


async def test_retention_of_a_private_person(owner, visit):
    await owner.post("/api/clients", PERSON)
    page = await visit(owner, "/invoices/new")
    await drafting(page, PERSON["name"])
    retention = page.get_by_label("Retención de IRPF")
    doubt = page.get_by_text("Hay retención y el cliente es un particular")

    await retention.fill("15")
    await expect(doubt).to_be_visible()
    await retention.fill("0")
    await expect(doubt).to_have_count(0)


async def test_a_new_client_with_the_nif_of_a_person_is_no_company_unless_it_is_said(owner, visit):
    page = await visit(owner, "/clients")
    for name, tax_id, is_professional in (("Lucía Vega", "00000014Z", False), ("Juan Pons", "12345678Z", True)):
        await page.get_by_role("button", name="Nuevo cliente").first.click()
        await page.get_by_label("Nombre o razón social").fill(name)
        await page.get_by_role("textbox", name="NIF").fill(tax_id)
        box = page.get_by_label("Es una empresa o un profesional")
        if is_professional:
            await box.uncheck()
            await box.check()
        await page.get_by_role("button", name="Guardar").click()
        await expect(page.get_by_role("heading", name=name)).to_be_visible()
        await page.goto(page.url.rsplit("/", 1)[0])

    cards = {card["name"]: card["isCompany"] for card in await owner.get("/api/clients")}
    assert cards == {"Lucía Vega": False, "Juan Pons": True}
