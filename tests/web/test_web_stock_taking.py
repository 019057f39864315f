"""Counting what is in stock, in the browser: by keyboard, with variants, while sales go on, with a lost answer."""

from playwright.async_api import Page, expect

from support.windows import lose_one_answer, tab_to


async def product(api, name: str, **fields) -> dict:
    return await api.post("/api/catalog", {"name": name, "type": "product", "unitPrice": 3, **fields})


async def stock_of(api, item: dict) -> float | None:
    return (await api.get(f"/api/catalog/{item['id']}"))["stock"]


async def write(page: Page) -> None:
    await page.get_by_role("button", name="Anotar el recuento").click()


async def test_a_shelf_is_counted_by_keyboard_alone(ana, visit, violations):
    sizes = [{"name": "S", "stock": 2}, {"name": "L", "stock": 3}]
    shirt = await product(ana, "Camiseta", variants=sizes)
    tape, glue = await product(ana, "Cinta", stock=10), await product(ana, "Pegamento", stock=4.5)
    await ana.post("/api/catalog", {"name": "Montaje", "type": "service", "unitPrice": 20})
    page = await visit(ana, "/catalog")
    await tab_to(page, page.get_by_role("link", name="Recuento"))
    await page.keyboard.press("Enter")
    await tab_to(page, page.get_by_label("Contado: Camiseta, S"))
    for counted in ("2", "5", "9", "4,25"):
        await page.keyboard.type(counted)
        await page.keyboard.press("Enter")
    await expect(page.get_by_label("Contado: Montaje")).to_have_count(0)
    await page.reload()
    await expect(page.get_by_label("Contado: Pegamento")).to_have_value("4,25")
    await expect(page.get_by_text("Contados: 4. Con diferencia: 3.")).to_be_visible()
    assert await violations(page) == []

    await tab_to(page, page.get_by_role("button", name="Anotar el recuento"))
    await page.keyboard.press("Enter")

    await expect(page.get_by_text("Recuento anotado. Diferencias: 3")).to_be_visible()
    await expect(page.get_by_text("Pegamento: -0,25")).to_be_visible()
    variants = (await ana.get(f"/api/catalog/{shirt['id']}"))["variants"]
    assert [one["stock"] for one in variants] == [2, 5]
    assert (await stock_of(ana, tape), await stock_of(ana, glue)) == (9, 4.25)


async def test_what_is_sold_while_one_counts_is_not_undone(ana, visit):
    tape = await product(ana, "Cinta", stock=10)
    page = await visit(ana, "/catalog/stock-taking")
    await page.get_by_label("Contado: Cinta").fill("8")
    await ana.patch(f"/api/catalog/{tape['id']}/stock", {"delta": -3})
    await page.reload()
    await expect(page.get_by_text("Al contar había 10")).to_be_visible()

    await write(page)

    await expect(page.get_by_text("Recuento anotado. Diferencias: 1")).to_be_visible()
    assert await stock_of(ana, tape) == 5


async def test_a_lost_answer_writes_the_count_once(ana, visit):
    tape = await product(ana, "Cinta", stock=10)
    page = await visit(ana, "/catalog/stock-taking")
    await page.get_by_label("Contado: Cinta").fill("8")
    await lose_one_answer(page, "**/bulk-stock")
    await write(page)
    await expect(page.get_by_role("alert")).to_be_visible()
    await expect(page.get_by_label("Contado: Cinta")).to_be_disabled()

    await write(page)

    await expect(page.get_by_text("Recuento anotado. Diferencias: 1")).to_be_visible()
    assert await stock_of(ana, tape) == 8


async def test_a_scanner_finds_the_item_and_a_viewer_is_offered_no_count(ana, site, visit):
    await product(ana, "Cinta", stock=10, barcode="8412345678905")
    await product(ana, "Pegamento", stock=1)
    page = await visit(ana, "/catalog/stock-taking")
    await expect(page.get_by_label("Contado: Pegamento")).to_be_visible()
    await page.get_by_role("heading", level=1).focus()
    await page.keyboard.type("8412345678905")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Contado: Pegamento")).to_have_count(0)
    await expect(page.get_by_label("Contado: Cinta")).to_be_visible()

    viewer = await site.member(ana, "viewer")
    await viewer.post(f"/api/teams/switch/{ana.team['id']}")
    theirs = await visit(viewer, "/catalog")
    await expect(theirs.get_by_text("Pegamento")).to_be_visible()
    await expect(theirs.get_by_role("link", name="Recuento")).to_have_count(0)
