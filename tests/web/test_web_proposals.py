"""Documents of a quarter that is filed: proposed in the next draft, accepted by a click, named in the filed one."""

import re

import pytest
from playwright.async_api import expect

from support.api import CLIENT, item
from support.windows import overflow

TAX = "/api/tax-declarations"
BOOKS_303 = {"country": "ES", "form": "303", "year": 2026}
LATE = {"description": "Papel", "amount": 121, "taxRate": 21, "date": "2026-02-11"}


@pytest.fixture
async def filed(ana):
    """The 303 of the first quarter, filed with one purchase."""
    await ana.post("/api/expenses", LATE | {"invoiceNumber": "P-1"})
    made = (await ana.post(f"{TAX}/generate", BOOKS_303 | {"period": "Q1"}))["declaration"]
    return (await ana.patch(f"{TAX}/{made['id']}/submit"))["declaration"]


async def second_quarter(ana):
    return (await ana.post(f"{TAX}/generate", BOOKS_303 | {"period": "Q2"}))["declaration"]


async def test_a_late_purchase_is_deducted_by_a_click(visit, ana, filed, violations):
    await ana.post("/api/expenses", LATE | {"invoiceNumber": "P-2"})
    draft = await second_quarter(ana)
    page = await visit(ana, f"/tax/{draft['id']}")

    await expect(page.get_by_role("cell", name="28: — → 100,00 29: — → 21,00")).to_be_visible()
    await expect(page.get_by_role("link", name="P-2")).to_be_visible()
    assert await violations(page) == []
    await page.set_viewport_size({"width": 360, "height": 800})
    assert await overflow(page) <= 0
    await page.get_by_role("button", name="Deducir en este periodo").click()

    await expect(page.get_by_role("heading", name="Propuestas")).to_have_count(0)
    assert (await ana.get(f"{TAX}/{draft['id']}"))["declaration"]["boxes"]["29"] == 21


async def test_a_proposal_that_the_books_left_behind_says_so_and_goes(visit, ana, filed):
    late = await ana.post("/api/expenses", LATE | {"invoiceNumber": "P-2"})
    draft = await second_quarter(ana)
    page = await visit(ana, f"/tax/{draft['id']}")
    await expect(page.get_by_role("button", name="Deducir en este periodo")).to_be_visible()

    await ana.delete(f"/api/expenses/{late['id']}")
    await page.get_by_role("button", name="Deducir en este periodo").click()

    await expect(page.locator(".toast")).to_contain_text("De esta propuesta")
    await expect(page.get_by_role("heading", name="Propuestas")).to_have_count(0)


async def test_a_late_sale_begins_the_declaration_that_amends(visit, ana, filed):
    sale = await ana.invoice(client=CLIENT, items=[item(unitPrice=1000)], issueDate="2026-02-10")
    await ana.patch(f"/api/invoices/{sale['id']}/pay", {"paidAt": "2026-02-20"})
    draft = await second_quarter(ana)
    page = await visit(ana, f"/tax/{draft['id']}")

    await page.get_by_role("button", name="Completar 303, 1.er trimestre de 2026").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("justificante").fill("3031234567890")
    await dialog.get_by_role("button").last.click()

    await expect(page.get_by_role("heading", level=1)).to_contain_text("1.er trimestre de 2026")
    begun = (await ana.get(f"{TAX}/{draft['id']}"))["declaration"]["proposals"][0]
    await expect(page).to_have_url(re.compile(f"/tax/{begun['amendmentId']}$"))


async def test_a_filed_declaration_names_the_documents_that_have_changed(visit, ana, filed, violations):
    [expense] = (await ana.get("/api/expenses"))[:1]
    await ana.put(f"/api/expenses/{expense['id']}", {"amount": 60.5})
    page = await visit(ana, f"/tax/{filed['id']}")

    await expect(page.get_by_role("heading", name="Documentos que han cambiado")).to_be_visible()
    await expect(page.get_by_role("cell", name="28: 100,00 → 50,00 29: 21,00 → 10,50")).to_be_visible()
    assert await violations(page) == []
