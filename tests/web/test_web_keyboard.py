"""The app without a mouse: the palette, the way past the navigation, the focus, menus; and with motion turned off."""

from typing import Any

from playwright.async_api import Page, expect

from support.api import Api, item


async def issued(ana: Api) -> Any:
    invoice = await ana.post("/api/invoices", {"client": {"name": "Talleres Norte", "taxId": "B12345674"}, **LINES})
    await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return await ana.get(f"/api/invoices/{invoice['id']}")


LINES = {"items": [item()], "taxRate": 21}
TITLE = "main h1"


async def ready(page: Page) -> None:
    await expect(page.locator(TITLE)).to_be_visible()
    await expect(page.locator("main .loading")).to_have_count(0)


async def test_the_palette_leads_to_a_screen(ana, site, visit):
    page = await visit(ana, "/clients")
    await ready(page)
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("combobox", name="Escribe una pantalla")).to_be_focused()
    await page.keyboard.type("gastos")
    await expect(page.get_by_role("option", selected=True)).to_contain_text("Gastos")
    await page.keyboard.press("Enter")

    await expect(page).to_have_url(f"{site.url}/expenses")
    await expect(page.locator(TITLE)).to_be_focused()


async def test_the_palette_finds_an_invoice_by_its_number_and_its_client(ana, site, visit):
    invoice = await issued(ana)
    page = await visit(ana, "/clients")
    await ready(page)
    for typed in (invoice["number"], "talleres"):
        await page.keyboard.press("Control+k")
        await expect(page.get_by_role("combobox", name="Escribe una pantalla")).to_be_focused()
        await page.keyboard.type(typed)
        option = page.get_by_role("option").filter(has_text=invoice["number"])
        await expect(option).to_be_visible()
        while await option.get_attribute("aria-selected") != "true":
            await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(f"{site.url}/invoices/{invoice['id']}")
        await expect(page.locator(TITLE)).to_contain_text(invoice["number"])


async def test_escape_closes_the_palette_and_gives_the_focus_back(ana, visit):
    page = await visit(ana, "/clients")
    await ready(page)
    button = page.get_by_role("button", name="Buscar (Ctrl K)")
    await button.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.keyboard.press("Escape")

    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(button).to_be_focused()


async def test_the_first_stop_leads_past_the_navigation(ana, visit):
    page = await visit(ana, "/clients")
    await ready(page)
    await page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Ir al contenido")
    await expect(skip).to_be_focused()
    await expect(skip).to_be_in_viewport()
    await page.keyboard.press("Enter")
    await expect(page.locator("main")).to_be_focused()
    await page.keyboard.press("Tab")

    assert await page.evaluate("document.querySelector('main').contains(document.activeElement)")


async def test_the_focus_goes_to_the_title_of_a_screen_that_is_opened(ana, visit):
    page = await visit(ana, "/clients")
    for path in ("/invoices", "/expenses", "/catalog", "/tax", "/team", "/settings"):
        await ready(page)
        await page.locator(f"#sections a[href='{path}']").focus()
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**{path}**")

        await expect(page.locator(TITLE), path).to_be_focused()


async def test_the_focus_goes_to_the_title_of_a_record_that_is_opened(ana, visit):
    await ana.post("/api/clients", {"name": "Talleres Norte"})
    page = await visit(ana, "/clients")
    await page.get_by_role("link", name="Talleres Norte").focus()
    await page.keyboard.press("Enter")

    await expect(page.get_by_role("heading", name="Talleres Norte", level=1)).to_be_focused()


async def test_a_menu_of_a_list_works_by_keyboard(ana, visit):
    invoice = await issued(ana)
    page = await visit(ana, "/invoices")
    button = page.get_by_role("button", name=f"Más acciones: {invoice['number']}")
    await button.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("menu")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("menu")).to_have_count(0)
    await expect(button).to_be_focused()

    await page.keyboard.press("ArrowDown")
    await expect(page.get_by_role("menuitem").first).to_be_focused()
    await page.keyboard.type("dup")
    await expect(page.get_by_role("menuitem", name="Duplicar")).to_be_focused()
    async with page.expect_response("**/duplicate"):
        await page.keyboard.press("Enter")

    assert len(await ana.get("/api/invoices")) == 2


async def test_the_menu_of_a_narrow_window_works_by_keyboard(ana, visit):
    page = await visit(ana, "/clients", width=360, height=800)
    await ready(page)
    await expect(page.get_by_role("navigation", name="Secciones")).to_be_hidden()
    await page.get_by_role("button", name="Abrir el menú").focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("link", name="Gastos").focus()
    await page.keyboard.press("Enter")

    await expect(page.locator(TITLE)).to_have_text("Gastos")
    await expect(page.get_by_role("navigation", name="Secciones")).to_be_hidden()


async def running_animations(page: Page) -> list[str]:
    """Animations that take more than a blink, by their names."""
    return await page.evaluate(
        """() => document.getAnimations()
            .filter(one => one.playState === "running" && one.effect.getComputedTiming().activeDuration > 50)
            .map(one => one.animationName ?? one.transitionProperty ?? String(one))"""
    )


async def test_nothing_moves_for_whoever_turned_motion_off(ana, visit):
    invoice = await issued(ana)
    page = await visit(ana, "/settings/account", reduced_motion="reduce")
    await ready(page)
    await page.route("**/api/clients?**", lambda route: None)
    await page.get_by_role("link", name="Clientes").click()
    await expect(page.locator("main .loading")).to_be_visible()
    assert await running_animations(page) == []

    await page.unroute("**/api/clients?**")
    await page.goto("/invoices")
    await page.get_by_role("button", name=f"Más acciones: {invoice['number']}").click()
    await expect(page.get_by_role("menu")).to_be_visible()
    assert await running_animations(page) == []
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("dialog")).to_be_visible()
    assert await running_animations(page) == []
