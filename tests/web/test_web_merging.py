"""Duplicates of clients and vendors become one in the browser."""

from playwright.async_api import Page, expect

from support.windows import tab_to


async def choose(page: Page, typed: str, name: str) -> None:
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("El duplicado, que desaparece").fill(typed)
    await dialog.get_by_role("option", name=name).click()


async def merge(page: Page) -> None:
    await page.get_by_role("dialog").get_by_role("button", name="Fusionar", exact=True).click()


async def test_a_duplicate_of_a_client_is_merged(ana, visit, violations):
    kept = await ana.post("/api/clients", {"name": "Talleres Norte", "taxId": "B12345674"})
    twice = await ana.post("/api/clients", {"name": "Talleres del norte", "email": "hola@example.com"})
    await ana.invoice(client=None, clientId=twice["id"])
    page = await visit(ana, f"/clients/{kept['id']}")
    await page.get_by_role("button", name="Fusionar con un duplicado").click()
    await merge(page)
    await expect(page.get_by_text("Elige de la lista el que está repetido.")).to_be_visible()
    await choose(page, "del norte", "Talleres del norte")
    await expect(page.get_by_text("«Talleres del norte» desaparece.")).to_be_visible()
    assert await violations(page) == []
    await merge(page)

    await expect(page.get_by_text("Pasan a este cliente: facturas 1, tareas 0")).to_be_visible()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.get_by_text("hola@example.com")).to_be_visible()
    assert [one["id"] for one in await ana.get("/api/clients")] == [kept["id"]]


async def test_a_duplicate_of_a_vendor_is_merged_by_keyboard(ana, visit):
    kept = await ana.post("/api/vendors", {"name": "Papelera", "taxId": "B12345674"})
    twice = await ana.post("/api/vendors", {"name": "Papelera, S.A."})
    bill = {"vendorId": twice["id"], "invoiceDate": "2026-03-05", "taxRate": 21, "total": 242, "invoiceNumber": "A-1"}
    await ana.post("/api/supplier-invoices", bill)
    page = await visit(ana, f"/vendors/{kept['id']}")
    await tab_to(page, page.get_by_role("button", name="Fusionar con un duplicado"))
    await page.keyboard.press("Enter")
    await page.keyboard.type("s.a.")
    await expect(page.get_by_role("option", name="Papelera, S.A.")).to_be_visible()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("No se puede deshacer.")).to_be_visible()
    await expect(page.get_by_role("dialog").get_by_role("combobox")).to_have_attribute("aria-expanded", "false")
    await page.keyboard.press("Enter")

    await expect(page.get_by_text("Pasan a este proveedor: gastos 0, facturas 1")).to_be_visible()
    await expect(page.get_by_role("link", name="A-1")).to_be_visible()


async def test_two_taxpayers_are_refused_and_who_may_not_is_not_asked(ana, site, visit):
    kept = await ana.post("/api/clients", {"name": "Talleres Norte", "taxId": "B12345674"})
    await ana.post("/api/clients", {"name": "Talleres Sur", "taxId": "A58818501"})
    page = await visit(ana, f"/clients/{kept['id']}")
    await page.get_by_role("button", name="Fusionar con un duplicado").click()
    await choose(page, "sur", "Talleres Sur")
    await merge(page)
    await expect(page.get_by_text("para Hacienda son dos personas")).to_be_visible()

    member = await site.member(ana, "member")
    await member.post(f"/api/teams/switch/{ana.team['id']}")
    theirs = await visit(member, f"/clients/{kept['id']}")
    await expect(theirs.get_by_role("button", name="Editar")).to_be_visible()
    await expect(theirs.get_by_role("button", name="Fusionar con un duplicado")).to_have_count(0)
